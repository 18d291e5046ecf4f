import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { readMetric, readMetrics } from '../support/metrics.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const MESSAGE = '{ message(id: "m1") { message } }';
const SERVICE = { 'GET /v1/messages/m1': wireMessage('m1') };

/** A selection of `toField(0)`, `toField(1)` and so on, each under an alias. */
const aliased = (count: number, toField: (index: number) => string): string =>
  `{ ${Array.from({ length: count }, (_, i) => `f${i}: ${toField(i)}`).join(' ')} }`;

test('operations are counted by type and by the codes of their errors', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
    'GET /v1/messages/m2': answering({ status: 403 }),
    'GET /v1/messages/m3': answering({ status: 409 }),
    'DELETE /v1/messages/m1': answering({ status: 409 }),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(MESSAGE);
  await gateway.ask(MESSAGE);
  await gateway.ask('{ message(id: "m2") { message } }', { token: null });
  await gateway.ask('{ a: message(id: "m2") { id } b: message(id: "..") { id } }');
  await gateway.ask(
    '{ a: message(id: "m2") { id } b: message(id: "..") { id } c: message(id: "m3") { id } }',
  );
  await gateway.ask(
    'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }',
  );
  await gateway.ask('{ nothing }');

  // The number of labels is bounded: more than two codes are "several".
  expect(await readMetric(gateway, 'gateway_operations_total')).toEqual({
    '{type="query",codes="none"}': 2,
    '{type="query",codes="UNAUTHENTICATED"}': 1,
    '{type="query",codes="BAD_USER_INPUT,FORBIDDEN"}': 1,
    '{type="query",codes="several"}': 1,
    '{type="mutation",codes="CONFLICT"}': 1,
    '{type="unknown",codes="GRAPHQL_VALIDATION_FAILED"}': 1,
  });
  expect(await readMetric(gateway, 'gateway_operation_duration_seconds_count')).toEqual({
    '{type="query"}': 5,
    '{type="mutation"}': 1,
    '{type="unknown"}': 1,
  });
});

test('REST calls are counted by method, route and outcome, with each retry', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': [
      answering({ status: 503 }),
      answering({ broken: 'before' }),
      wireMessage('m1'),
    ],
    'GET /v1/messages': wirePage([wireMessage('m2')]),
    'PUT /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask('{ message(id: "m1") { message } messages { nodes { id } } }');
  await gateway.ask(
    'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }',
  );
  await gateway.ask('{ message(id: "m-gone") { message } }');

  expect(await readMetric(gateway, 'gateway_rest_calls_total')).toEqual({
    '{method="GET",route="/v1/messages/:id",outcome="5xx"}': 1,
    '{method="GET",route="/v1/messages/:id",outcome="unreachable"}': 1,
    '{method="GET",route="/v1/messages/:id",outcome="2xx"}': 1,
    '{method="GET",route="/v1/messages/:id",outcome="4xx"}': 1,
    '{method="GET",route="/v1/messages",outcome="2xx"}': 1,
    '{method="PUT",route="/v1/messages/:id",outcome="2xx"}': 1,
  });
  expect(await readMetric(gateway, 'gateway_rest_retries_total')).toEqual({
    '{method="GET",route="/v1/messages/:id"}': 2,
  });
  expect(await readMetric(gateway, 'gateway_rest_call_duration_seconds_count')).toEqual({
    '{method="GET",route="/v1/messages/:id"}': 4,
    '{method="GET",route="/v1/messages"}': 1,
    '{method="PUT",route="/v1/messages/:id"}': 1,
  });
});

test('durations are in seconds', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(MESSAGE);

  for (const [metric, labels] of [
    ['gateway_operation_duration_seconds_sum', '{type="query"}'],
    ['gateway_rest_call_duration_seconds_sum', '{method="GET",route="/v1/messages/:id"}'],
  ] as const) {
    const sum = (await readMetric(gateway, metric))[labels];
    expect(sum, metric).toBeGreaterThan(0.25);
    // In milliseconds, it would be 300.
    expect(sum, metric).toBeLessThan(290);
  }
});

test('the connection pool shows connections, running calls and queued calls', async () => {
  await using upstream = await startUpstream(() => ({
    body: wireMessage('m1'),
    delayMs: 300,
  }));
  await using gateway = await startTestGateway(upstream.url, { REST_CONNECTIONS: '2' });

  const asked = gateway.ask(aliased(3, (i) => `message(id: "${i}") { id }`));
  await expect.poll(() => upstream.calls.length).toBe(2);
  const busy = await readMetric(gateway, 'gateway_rest_pool');
  await asked;

  expect(busy).toMatchObject({
    '{state="connected"}': 2,
    '{state="free"}': 0,
    '{state="running"}': 2,
    '{state="queued"}': 1,
  });
  expect(await readMetric(gateway, 'gateway_rest_pool')).toMatchObject({
    '{state="running"}': 0,
    '{state="queued"}': 0,
  });
});

test('the circuit breaker shows its state', async () => {
  await using upstream = await startUpstream(() => ({ status: 500 }));
  await using gateway = await startTestGateway(upstream.url, { REST_RETRIES: '0' });

  const before = await readMetric(gateway, 'gateway_breaker_state');
  await gateway.ask(aliased(25, (i) => `message(id: "${i}") { id }`));

  expect(before).toEqual({
    '{state="closed"}': 1,
    '{state="open"}': 0,
    '{state="half-open"}': 0,
  });
  expect(await readMetric(gateway, 'gateway_breaker_state')).toMatchObject({
    '{state="closed"}': 0,
    '{state="open"}': 1,
  });
});

test('drift is counted by object, without the names of fields', async () => {
  const { is_muted, ...conversation } = wireConversation('c1');
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1', { mood: 'good', weather: 'bad' }),
    'GET /v1/conversations/c1': conversation,
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(
    '{ message(id: "m1") { message } conversation(id: "c1") { isMuted } }',
  );

  expect(await readMetric(gateway, 'gateway_drift_total')).toEqual({
    '{object="Message",kind="unknown"}': 2,
    '{object="Conversation",kind="missing"}': 1,
  });
});

test('HTTP responses are counted by route and status; unknown paths share one route', async () => {
  await using upstream = await startUpstream({});
  await using gateway = await startTestGateway(upstream.url);
  const headers = { 'content-type': 'application/json' };

  await fetch(`${gateway.url}/healthz`);
  await fetch(`${gateway.url}/junk-path`);
  await fetch(`${gateway.url}/graphql`, { method: 'PUT', headers, body: '{}' });
  await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body: '{' });

  expect(await readMetric(gateway, 'gateway_http_responses_total')).toEqual({
    '{route="/healthz",status="200"}': 1,
    '{route="none",status="404"}': 1,
    '{route="/graphql",status="405"}': 1,
    '{route="/graphql",status="400"}': 1,
  });
});

test('no text of a client or of the service becomes a label', async () => {
  await using upstream = await startUpstream(({ line }) =>
    line.includes('odd')
      ? { status: 799, body: { code: 'JUNK_CODE', error: 'junk' } }
      : { body: wireMessage('m1', { junk_field: 1 }), headers: { 'x-junk': 'junk' } },
  );
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask('query JunkName($v: ID!) { junk: message(id: $v) { message } }', {
    variables: { v: 'junk-id' },
    headers: { 'x-request-id': 'junk-request', 'x-apollo-operation-name': 'JunkName' },
    token: 'junk-token',
  });
  await gateway.ask('{ message(id: "odd") { message } }');
  await gateway.ask('{ messages(conversationId: "junk-id") { nodes { id } } }');
  await fetch(`${gateway.url}/junk?junk=junk`, { headers: { host: 'junk.example' } });

  const metrics = await readMetrics(gateway);
  expect(metrics).not.toMatch(/junk/i);
  expect(metrics).toContain('outcome="other"');
});

describe('/metrics', () => {
  test('is text for Prometheus, which pages of other sites cannot read', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');

    const { status, headers } = await fetch(`${gateway.url}/metrics`, {
      headers: { origin: 'https://other.example' },
    });

    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('measures the process too, and each gateway in it separately', async () => {
    await using upstream = await startUpstream(SERVICE);
    await using one = await startTestGateway(upstream.url);
    await using other = await startTestGateway(upstream.url);

    await one.ask(MESSAGE);

    for (const metric of [
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect(await readMetric(one, metric), metric).toEqual({ '': expect.any(Number) });
    expect(await readMetric(other, 'gateway_operations_total')).toEqual({});
  });

  test('does not exist with METRICS=false', async () => {
    await using upstream = await startUpstream(SERVICE);
    await using gateway = await startTestGateway(upstream.url, { METRICS: 'false' });

    const { data } = await gateway.ask(MESSAGE);

    expect(data).toEqual({ message: { message: 'text m1' } });
    expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
  });
});
