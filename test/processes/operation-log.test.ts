import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reads, repeat } from '../support/gateway.ts';
import {
  type startGatewayProcess,
  startScriptedProcess,
} from '../support/gateway-process.ts';
import { post } from '../support/http.ts';
import { readMetric, readMetrics } from '../support/metrics.ts';
import { answering } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const MESSAGE = '{ message(id: "m1") { message } }';

/** Stops the gateway, so that it writes all of its log, and returns the lines of operations. */
const operationsOf = async (gateway: Awaited<ReturnType<typeof startGatewayProcess>>) =>
  (await gateway.stop()).filter(({ msg }) => msg === 'operation');

test('the log has one line for an operation, with its request id, name, calls and time', async () => {
  await using gateway = await startScriptedProcess({
    'GET /v1/messages/m1': wireMessage('m1'),
    'GET /v1/messages/m2': [answering({ status: 503 }), wireMessage('m2')],
  });

  await gateway.ask(
    'query Two { a: message(id: "m1") { id } b: message(id: "m2") { id } }',
    {
      headers: {
        'x-request-id': 'r-7',
        'apollographql-client-name': 'web',
        'apollographql-client-version': '1.2.0',
      },
    },
  );

  const operations = await operationsOf(gateway);
  expect(operations).toEqual([
    {
      level: 30,
      time: expect.any(Number),
      requestId: 'r-7',
      operation: 'Two',
      type: 'query',
      client: 'web',
      clientVersion: '1.2.0',
      restCalls: 2,
      restRetries: 1,
      durationMs: expect.any(Number),
      codes: [],
      msg: 'operation',
    },
  ]);
  const [documented = ''] =
    /^\{.*"msg":"operation"\}$/m.exec(readFileSync('docs/operating.md', 'utf8')) ?? [];
  expect(Object.keys(operations[0])).toEqual(Object.keys(JSON.parse(documented)));
  expect(gateway.log()).toContain(JSON.stringify(operations[0]));
});

interface Sent {
  readonly query?: string;
  readonly extensions?: Record<string, unknown>;
  readonly accept?: string;
}

/** Every way in which an operation can end, with the codes that its log line has. */
const ENDS: readonly [what: string, sent: Sent, codes: string[]][] = [
  ['query', { query: '{ message(id: "m1") { id } }' }, []],
  [
    'mutation',
    { query: 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }' },
    [],
  ],
  [
    'failed-fields',
    {
      query:
        '{ a: message(id: "") { id } b: message(id: "denied") { id } c: message(id: "") { id } }',
    },
    ['BAD_USER_INPUT', 'FORBIDDEN'],
  ],
  ['invalid', { query: '{ nothing }' }, ['GRAPHQL_VALIDATION_FAILED']],
  [
    'unknown-persisted-query',
    { extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
    ['PERSISTED_QUERY_NOT_FOUND'],
  ],
  [
    'too-costly',
    { query: '{ messages(first: 5) { nodes { conversation { isMuted } } } }' },
    ['OPERATION_TOO_COSTLY'],
  ],
  ['not-acceptable', { query: '{ __typename }', accept: 'text/csv' }, ['BAD_REQUEST']],
];

test('every operation, also one that is refused, is reported by exactly one log line, with each of its codes once', async () => {
  await using gateway = await startScriptedProcess(
    ({ line }) =>
      line.endsWith('denied') ? { status: 403 } : { body: wireMessage('m1') },
    { MAX_REST_CALLS: '3' },
  );

  for (const [what, { accept = '*/*', ...body }] of ENDS)
    await post(gateway.url, body, {
      authorization: 'Bearer ann-token',
      'x-request-id': what,
      accept,
    });

  const operations = await operationsOf(gateway);
  expect(operations.map(({ requestId, codes }) => [requestId, codes])).toEqual(
    ENDS.map(([what, , codes]) => [what, codes]),
  );
});

test('the log has a line for each of the first ten failed calls of an operation, and one for the others', async () => {
  await using gateway = await startScriptedProcess(() => ({ status: 503 }), {
    REST_RETRIES: '0',
  });

  await gateway.ask(reads(100), { headers: { 'x-request-id': 'r-8' } });

  const warnings = (await gateway.stop()).filter(({ level }) => level === 40);
  expect(warnings).toHaveLength(11);
  expect(warnings.at(-1)).toMatchObject({
    requestId: 'r-8',
    calls: 90,
    msg: 'further calls failed',
  });
});

test('the time of a line is that of the answer, and not when lines are written', async () => {
  await using gateway = await startScriptedProcess();
  const before = Date.now();

  await gateway.ask('{ __typename }');
  const after = Date.now();

  const [{ time }] = await operationsOf(gateway);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(after);
});

test('the log has no call that the deadline prevented; neither have the metrics and the call log', async () => {
  await using gateway = await startScriptedProcess(
    () => ({ body: wireMessage('m1'), delayMs: 1200 }),
    { OPERATION_TIMEOUT_MS: '3000', REST_DEBUG: 'true' },
  );
  const send =
    'sendMessage(input: { conversationId: "c1", message: "x" }) { message { id } }';

  const writes = repeat(10, (i) => `w${i}: ${send}`);
  const { extensions } = await gateway.ask(`mutation { ${writes} }`, {
    extensions: { rest: true },
  });
  const counts = await readMetric(gateway, 'gateway_rest_calls_total');
  const [operation] = await operationsOf(gateway);

  const { restCalls } = operation;
  expect(operation).toMatchObject({ codes: ['UPSTREAM_TIMEOUT'], restRetries: 0 });
  expect(restCalls).toBeGreaterThan(0);
  expect(restCalls).toBeLessThan(10);
  // The deadline may cut off the last call before it arrives.
  expect([restCalls, restCalls - 1]).toContain(gateway.service.calls.length);
  expect(extensions.rest).toHaveLength(restCalls);
  const timeouts = counts['{method="POST",route="/v1/messages",outcome="timeout"}'] ?? 0;
  const answered = counts['{method="POST",route="/v1/messages",outcome="2xx"}'] ?? 0;
  expect(Object.keys(counts).length).toBeLessThanOrEqual(2);
  expect(answered + timeouts).toBe(restCalls);
  expect(timeouts).toBeLessThanOrEqual(1);
});

test('the log never contains the token, a variable or the document', async () => {
  await using gateway = await startScriptedProcess({
    'GET /v1/messages/m-private': wireMessage('m-private'),
  });
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

test('the log and the metrics tell a client that left from a service that is slow', async () => {
  await using gateway = await startScriptedProcess(() => ({ delayMs: 60_000 }), {
    OPERATION_TIMEOUT_MS: '3000',
  });
  const leaving = new AbortController();

  const left = gateway.ask(MESSAGE, { signal: leaving.signal });
  await expect.poll(() => gateway.service.calls.length).toBe(1);
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
