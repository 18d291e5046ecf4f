import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { readMetric, readMetrics } from '../support/metrics.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const MESSAGE = '{ message(id: "m1") { message } }';

/** Stops the gateway, so that it writes all of its log, and returns the lines of operations. */
async function operationsOf(gateway: Awaited<ReturnType<typeof startGatewayProcess>>) {
  gateway.child.kill('SIGTERM');
  expect(await gateway.exit()).toBe(0);
  return gateway
    .log()
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'operation');
}

describe('the log', () => {
  test('has one line for an operation, with its request id, name, calls and time', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
      'GET /v1/messages/m2': [answering({ status: 503 }), wireMessage('m2')],
    });
    await using gateway = await startGatewayProcess(upstream.url);

    await gateway.ask(
      'query Two { a: message(id: "m1") { id } b: message(id: "m2") { id } }',
      { headers: { 'x-request-id': 'r-7' } },
    );

    expect(await operationsOf(gateway)).toEqual([
      {
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
      },
    ]);
  });

  test("has an operation's fields in the order of docs/operating.md, as compact JSON", async () => {
    await using gateway = await startGatewayProcess('http://127.0.0.1:1');

    await gateway.ask('query Name { __typename }');
    gateway.child.kill('SIGTERM');
    await gateway.exit();

    const [documented = ''] =
      /^\{.*"msg":"operation"\}$/m.exec(readFileSync('docs/operating.md', 'utf8')) ?? [];
    const lines = gateway.log().filter((line) => line.includes('"msg":"operation"'));
    expect(lines).toHaveLength(1);
    const [line = ''] = lines;
    expect(Object.keys(JSON.parse(line))).toEqual(Object.keys(JSON.parse(documented)));
    expect(line).toBe(JSON.stringify(JSON.parse(line)));
  });

  test('has a line for each of the first ten failed calls of an operation, and one for the others', async () => {
    await using upstream = await startUpstream(() => ({ status: 503 }));
    await using gateway = await startGatewayProcess(upstream.url, { REST_RETRIES: '0' });
    const aliases = (count: number) =>
      Array.from({ length: count }, (_, i) => `m${i}: message(id: "m${i}") { id }`);

    await gateway.ask(`{ ${aliases(100).join(' ')} }`, {
      headers: { 'x-request-id': 'r-8' },
    });
    gateway.child.kill('SIGTERM');
    await gateway.exit();

    const lines = gateway
      .log()
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 40);
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toMatchObject({
      requestId: 'r-8',
      calls: 90,
      msg: 'further calls failed',
    });
  });

  test('has no line of an operation if its level is above info', async () => {
    await using gateway = await startGatewayProcess('http://127.0.0.1:1', {
      LOG_LEVEL: 'warn',
    });

    await gateway.ask(MESSAGE);

    gateway.child.kill('SIGTERM');
    await gateway.exit();
    const levels = gateway.log().map((line) => JSON.parse(line).level);
    expect(levels).not.toContain(30);
    expect(levels).toContain(40);
  });

  test('has no call that the deadline prevented; neither have the metrics and the call log', async () => {
    await using upstream = await startUpstream(() => ({
      body: wireMessage('m1'),
      delayMs: 1200,
    }));
    await using gateway = await startGatewayProcess(upstream.url, {
      OPERATION_TIMEOUT_MS: '3000',
      REST_DEBUG: 'true',
    });
    const writes = Array.from(
      { length: 10 },
      (_, i) =>
        `w${i}: sendMessage(input: { conversationId: "c1", message: "x" }) { message { id } }`,
    );

    const { extensions } = await gateway.ask(`mutation { ${writes.join(' ')} }`, {
      extensions: { rest: true },
    });
    const counts = await readMetric(gateway, 'gateway_rest_calls_total');
    const [operation] = await operationsOf(gateway);

    const { restCalls } = operation;
    expect(operation).toMatchObject({ codes: ['UPSTREAM_TIMEOUT'], restRetries: 0 });
    expect(restCalls).toBeGreaterThan(0);
    expect(restCalls).toBeLessThan(10);
    // The deadline may cut off the last call before it arrives.
    expect([restCalls, restCalls - 1]).toContain(upstream.calls.length);
    expect(extensions.rest).toHaveLength(restCalls);
    const timeouts =
      counts['{method="POST",route="/v1/messages",outcome="timeout"}'] ?? 0;
    const answered = counts['{method="POST",route="/v1/messages",outcome="2xx"}'] ?? 0;
    expect(Object.keys(counts).length).toBeLessThanOrEqual(2);
    expect(answered + timeouts).toBe(restCalls);
    expect(timeouts).toBeLessThanOrEqual(1);
  });

  test('has the codes of the errors of an operation, each once', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': answering({ status: 403 }),
      'GET /v1/messages/m2': answering({ status: 403 }),
    });
    await using gateway = await startGatewayProcess(upstream.url);

    await gateway.ask(
      '{ a: message(id: "m1") { id } b: message(id: "m2") { id } c: message(id: "") { id } }',
    );
    await gateway.ask('{ nothing }');
    await gateway.ask('{');

    const operations = await operationsOf(gateway);
    expect(operations.map(({ type, codes }) => [type, codes])).toEqual([
      ['query', ['BAD_USER_INPUT', 'FORBIDDEN']],
      [null, ['GRAPHQL_VALIDATION_FAILED']],
      [null, ['GRAPHQL_PARSE_FAILED']],
    ]);
  });

  test('never contains the token, a variable or the document', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m-private': wireMessage('m-private'),
    });
    await using gateway = await startGatewayProcess(upstream.url);
    const token = 's3cret_token';
    const longName = 'a'.repeat(300) + token;

    await gateway.ask(
      `query by_${token}_user($id: ID!) { message(id: $id) { username: id } }`,
      { token, variables: { id: 'm-private' } },
    );
    await gateway.ask(`query ${longName} { message(id: "m-private") { id } }`, { token });
    await gateway.ask(`{ ${token} }`, { token, headers: { 'x-request-id': token } });

    const operations = await operationsOf(gateway);
    expect(operations.map(({ operation }) => operation)).toEqual([
      'by_[redacted]_user',
      '(too long)',
      null,
    ]);
    expect(gateway.log().join()).not.toMatch(/s3cret|m-private|username|message\(/);
  });

  test('and the metrics tell a client that left from a service that is slow', async () => {
    await using upstream = await startUpstream(() => ({ delayMs: 60_000 }));
    await using gateway = await startGatewayProcess(upstream.url, {
      OPERATION_TIMEOUT_MS: '3000',
    });
    const leaving = new AbortController();

    const left = gateway.ask(MESSAGE, { signal: leaving.signal });
    await expect.poll(() => upstream.calls.length).toBe(1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await gateway.ask(MESSAGE);
    const metrics = await readMetrics(gateway);

    const operations = await operationsOf(gateway);
    expect(operations.map(({ clientLeft }) => clientLeft)).toEqual([true, undefined]);
    expect(metrics).toContain('gateway_operations_total{type="query",codes="left"} 1');
    expect(metrics).toContain(
      'gateway_operations_total{type="query",codes="UPSTREAM_TIMEOUT"} 1',
    );
    expect(metrics).toMatch(/gateway_rest_calls_total\{.*outcome="cancelled"\} 1/);
    expect(metrics).toMatch(/gateway_rest_calls_total\{.*outcome="timeout"\} 1/);
  });

  test('that nobody reads does not stop operations', async () => {
    await using gateway = await startGatewayProcess('http://127.0.0.1:1');
    gateway.child.stdout?.pause();
    const query = `query ${'N'.repeat(250)} { __typename }`;
    const ask = () => gateway.ask(query, { signal: AbortSignal.timeout(60_000) });

    // More lines than a pipe holds.
    for (let turn = 0; turn < 25; turn += 1) {
      await Promise.all(Array.from({ length: 50 }, ask));
    }

    expect((await ask()).data).toEqual({ __typename: 'Query' });
  });
});

describe('the request id', () => {
  test('goes to the service with every call', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': [answering({ status: 503 }), wireMessage('m1')],
      'DELETE /v1/messages/m2': answering({ status: 204 }),
    });
    await using gateway = await startTestGateway(upstream.url);
    const headers = { 'x-request-id': 'r-1' };

    await gateway.ask(MESSAGE, { headers });
    await gateway.ask(
      'mutation { deleteMessage(input: { id: "m2" }) { deletedMessageId } }',
      { headers },
    );
    const { headers: answered } = await gateway.ask(MESSAGE);

    expect(upstream.headers.map((sent) => sent['x-request-id'])).toEqual([
      'r-1',
      'r-1',
      'r-1',
      answered.get('x-request-id'),
    ]);
  });

  test('of a GET that two operations share is that of the first', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 200 }),
    });
    await using gateway = await startTestGateway(upstream.url);
    const ask = (id: string) => gateway.ask(MESSAGE, { headers: { 'x-request-id': id } });

    const first = ask('r-1');
    await expect.poll(() => upstream.calls.length).toBe(1);
    await Promise.all([first, ask('r-2')]);

    expect(upstream.headers.map((sent) => sent['x-request-id'])).toEqual(['r-1']);
  });
});
