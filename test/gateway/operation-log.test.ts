import { expect, test } from 'vitest';
import { run, toAddress } from '../support/command.ts';
import { startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

interface Sent {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

/** The lines that a gateway of its own logs while it answers, one for each operation. */
async function linesOf(
  messagingUrl: string,
  operations: readonly Sent[],
  settings: Record<string, string> = {},
) {
  await using gateway = run(['bin/messaging-graphql.js'], {
    MESSAGING_URL: messagingUrl,
    ...settings,
  });
  const url = toAddress(await gateway.first());
  for (const { query, variables, headers } of operations) {
    await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer s3cret_token',
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
    });
  }
  // Lines that wait to be written go out when it ends.
  gateway.child.kill('SIGTERM');
  expect(await gateway.exit()).toBe(0);
  return gateway.lines
    .slice(1)
    .map((line) => ({ line, fields: JSON.parse(line) }))
    .filter(({ fields }) => fields.msg === 'operation');
}

test('each operation is one line, with its request id, name, calls and time', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
    'GET /v1/messages/m2': [answering({ status: 503 }), wireMessage('m2')],
  });

  const [line, ...more] = await linesOf(upstream.url, [
    {
      query: 'query Two { a: message(id: "m1") { id } b: message(id: "m2") { id } }',
      headers: { 'x-request-id': 'r-7' },
    },
  ]);

  expect(more).toEqual([]);
  expect(line?.fields).toEqual({
    level: 30,
    time: expect.any(Number),
    requestId: 'r-7',
    operation: 'Two',
    type: 'query',
    restCalls: 2,
    restRetries: 1,
    durationMs: expect.any(Number),
    codes: [],
    msg: 'operation',
  });
});

test('calls that were not begun, since the time was up, are not in the line', async () => {
  await using upstream = await startUpstream(() => ({
    body: wireMessage('m1'),
    delayMs: 200,
  }));
  const writes = Array.from(
    { length: 10 },
    (_, index) =>
      `w${index}: sendMessage(input: { conversationId: "c1", message: "x" }) { message { id } }`,
  );

  const [line] = await linesOf(
    upstream.url,
    [{ query: `mutation { ${writes.join(' ')} }` }],
    { OPERATION_TIMEOUT_MS: '500' },
  );

  expect(line?.fields.codes).toEqual(['UPSTREAM_TIMEOUT']);
  expect(upstream.calls.length).toBeLessThan(10);
  // The last of them may have been cut off before it arrived.
  const arrived = upstream.calls.length;
  expect([arrived, arrived + 1]).toContain(line?.fields.restCalls);
  expect(line?.fields.restRetries).toBe(0);
});

test('the line has the codes of the errors, each once', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': answering({ status: 403 }),
    'GET /v1/messages/m2': answering({ status: 403 }),
  });

  const lines = await linesOf(upstream.url, [
    {
      query:
        '{ a: message(id: "m1") { id } b: message(id: "m2") { id } c: message(id: "") { id } }',
    },
    { query: '{ nothing }' },
    { query: '{' },
  ]);

  expect(lines.map(({ fields }) => [fields.type, fields.codes])).toEqual([
    ['query', ['BAD_USER_INPUT', 'FORBIDDEN']],
    [null, ['GRAPHQL_VALIDATION_FAILED']],
    [null, ['GRAPHQL_PARSE_FAILED']],
  ]);
});

test('no line tells the token, a variable or the document', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m-private': wireMessage('m-private'),
  });

  const lines = await linesOf(upstream.url, [
    {
      query: 'query by_s3cret_token_user($id: ID!) { message(id: $id) { username: id } }',
      variables: { id: 'm-private' },
    },
    {
      query: `query ${'a'.repeat(300)}s3cret_token { message(id: "m-private") { id } }`,
    },
    { query: '{ s3cret_token }', headers: { 'x-request-id': 's3cret_token' } },
  ]);

  expect(lines.map(({ fields }) => fields.operation)).toEqual([
    'by_[redacted]_user',
    '(too long)',
    null,
  ]);
  for (const { line } of lines) {
    expect(line).not.toMatch(/s3cret|m-private|username|message\(/);
  }
});

test('a client who leaves is told from a service that is slow', async () => {
  await using upstream = await startUpstream(() => ({ delayMs: 60_000 }));
  await using gateway = run(['bin/messaging-graphql.js'], {
    MESSAGING_URL: upstream.url,
    OPERATION_TIMEOUT_MS: '300',
  });
  const url = toAddress(await gateway.first());
  const ask = (signal: AbortSignal | null) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
      body: '{"query":"{ message(id: \\"m1\\") { id } }"}',
      signal,
    });

  await ask(AbortSignal.timeout(100)).catch(() => {});
  await ask(null);
  const operations = () =>
    gateway.lines.filter((line) => line.includes('"msg":"operation"'));
  await expect.poll(() => operations().length).toBe(2);
  const metrics = await (await fetch(`${url}/metrics`)).text();

  expect(operations().map((line) => JSON.parse(line).clientLeft)).toEqual([
    true,
    undefined,
  ]);
  expect(metrics).toContain('gateway_operations_total{type="query",codes="left"} 1');
  expect(metrics).toContain(
    'gateway_operations_total{type="query",codes="UPSTREAM_TIMEOUT"} 1',
  );
  expect(metrics).toMatch(/gateway_rest_calls_total\{.*outcome="cancelled"\} 1/);
  expect(metrics).toMatch(/gateway_rest_calls_total\{.*outcome="timeout"\} 1/);
});

test('the request id goes to the service with every call', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': [answering({ status: 503 }), wireMessage('m1')],
    'DELETE /v1/messages/m2': answering({ status: 204 }),
  });
  await using gateway = await startTestGateway(upstream.url);
  const headers = { 'x-request-id': 'r-1' };

  await gateway.ask('{ message(id: "m1") { message } }', { headers });
  await gateway.ask(
    'mutation { deleteMessage(input: { id: "m2" }) { deletedMessageId } }',
    { headers },
  );
  const { headers: answered } = await gateway.ask('{ message(id: "m1") { message } }');

  expect(upstream.headers.map((sent) => sent['x-request-id'])).toEqual([
    'r-1',
    'r-1',
    'r-1',
    answered.get('x-request-id'),
  ]);
});

test('a GET that two operations share carries the request id of the first', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 200 }),
  });
  await using gateway = await startTestGateway(upstream.url);
  const ask = (id: string) =>
    gateway.ask('{ message(id: "m1") { message } }', { headers: { 'x-request-id': id } });

  const first = ask('r-1');
  await expect.poll(() => upstream.calls.length).toBe(1);
  await Promise.all([first, ask('r-2')]);

  expect(upstream.headers.map((sent) => sent['x-request-id'])).toEqual(['r-1']);
});

test('a log that nobody reads stops no operation', async () => {
  await using gateway = run(['bin/messaging-graphql.js'], {
    MESSAGING_URL: 'http://127.0.0.1:1',
  });
  const url = toAddress(await gateway.first());
  gateway.child.stdout?.pause();
  const query = `query ${'N'.repeat(250)} { __typename }`;
  const ask = async () => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
      body: JSON.stringify({ query }),
      signal: AbortSignal.timeout(3000),
    });
    return response.json();
  };

  // More lines than the pipe to a reader holds.
  for (let turn = 0; turn < 25; turn += 1) {
    await Promise.all(Array.from({ length: 50 }, ask));
  }

  expect(await ask()).toEqual({ data: { __typename: 'Query' } });
}, 20_000);
