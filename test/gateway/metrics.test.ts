import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const MESSAGE = '{ message(id: "m1") { message } }';

/** What /metrics says, `name{labels}` to value. */
async function scrape({ url }: { url: string }): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Object.fromEntries(
    [...text.matchAll(/^(\w+(?:\{[^}]*\})?) (\S+)$/gm)].map(([, name = '', value]) => [
      name,
      Number(value),
    ]),
  );
}

/** The same, of one metric. */
async function scrapeOne(gateway: { url: string }, metric: string) {
  const all = Object.entries(await scrape(gateway));
  return Object.fromEntries(
    all
      .filter(([name]) => name.replace(/\{.*/, '') === metric)
      .map(([name, value]) => [name.slice(metric.length), value]),
  );
}

test('operations are counted by type and by the codes of their errors', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
    'GET /v1/messages/m2': answering({ status: 403 }),
    'DELETE /v1/messages/m1': answering({ status: 409 }),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(MESSAGE);
  await gateway.ask(MESSAGE);
  await gateway.ask('{ message(id: "m2") { message } }', { token: null });
  await gateway.ask('{ a: message(id: "m2") { id } b: message(id: "..") { id } }');
  await gateway.ask(
    'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }',
  );
  await gateway.ask('{ nothing }');

  expect(await scrapeOne(gateway, 'gateway_operations_total')).toEqual({
    '{type="query",codes="none"}': 2,
    '{type="query",codes="UNAUTHENTICATED"}': 1,
    '{type="query",codes="BAD_USER_INPUT,FORBIDDEN"}': 1,
    '{type="mutation",codes="CONFLICT"}': 1,
    '{type="unknown",codes="GRAPHQL_VALIDATION_FAILED"}': 1,
  });
  expect(await scrapeOne(gateway, 'gateway_operation_duration_seconds_count')).toEqual({
    '{type="query"}': 4,
    '{type="mutation"}': 1,
    '{type="unknown"}': 1,
  });
});

test('more than two codes are "several": a label is no list without end', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/a': answering({ status: 403 }),
    'GET /v1/messages/b': answering({ status: 409 }),
    'GET /v1/messages/c': answering({ status: 500 }),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(
    '{ a: message(id: "a") { id } b: message(id: "b") { id } c: message(id: "c") { id } }',
  );

  expect(await scrapeOne(gateway, 'gateway_operations_total')).toEqual({
    '{type="query",codes="several"}': 1,
  });
});

test('calls are counted by method, route and what came of them, retries too', async () => {
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

  await gateway.ask(`{ message(id: "m1") { message } messages { nodes { id } } }`);
  await gateway.ask(
    'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }',
  );
  await gateway.ask('{ message(id: "m-gone") { message } }');

  expect(await scrapeOne(gateway, 'gateway_rest_calls_total')).toEqual({
    '{method="GET",route="/v1/messages/:id",outcome="5xx"}': 1,
    '{method="GET",route="/v1/messages/:id",outcome="unreachable"}': 1,
    '{method="GET",route="/v1/messages/:id",outcome="2xx"}': 1,
    '{method="GET",route="/v1/messages/:id",outcome="4xx"}': 1,
    '{method="GET",route="/v1/messages",outcome="2xx"}': 1,
    '{method="PUT",route="/v1/messages/:id",outcome="2xx"}': 1,
  });
  expect(await scrapeOne(gateway, 'gateway_rest_retries_total')).toEqual({
    '{method="GET",route="/v1/messages/:id"}': 2,
  });
  expect(await scrapeOne(gateway, 'gateway_rest_call_duration_seconds_count')).toEqual({
    '{method="GET",route="/v1/messages/:id"}': 4,
    '{method="GET",route="/v1/messages"}': 1,
    '{method="PUT",route="/v1/messages/:id"}': 1,
  });
});

test('a call that was not begun, since the time was up, is not counted', async () => {
  await using upstream = await startUpstream(() => ({
    body: wireMessage('m1'),
    delayMs: 200,
  }));
  await using gateway = await startTestGateway(upstream.url, {
    OPERATION_TIMEOUT_MS: '500',
  });
  const writes = Array.from(
    { length: 10 },
    (_, index) =>
      `w${index}: sendMessage(input: { conversationId: "c1", message: "x" }) { message { id } }`,
  );

  await gateway.ask(`mutation { ${writes.join(' ')} }`);

  const counted = await scrapeOne(gateway, 'gateway_rest_calls_total');
  const all = Object.values(counted).reduce((sum, count) => sum + count, 0);
  const timeouts = counted['{method="POST",route="/v1/messages",outcome="timeout"}'] ?? 0;
  expect(all).toBeLessThan(10);
  expect(timeouts).toBeLessThanOrEqual(1);
  // The last of them may have been cut off before it arrived.
  expect([all, all - 1]).toContain(upstream.calls.length);
});

test('durations are in seconds', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(MESSAGE);

  const metrics = await scrape(gateway);
  for (const sum of [
    'gateway_operation_duration_seconds_sum{type="query"}',
    'gateway_rest_call_duration_seconds_sum{method="GET",route="/v1/messages/:id"}',
  ]) {
    expect(metrics[sum], sum).toBeGreaterThan(0.25);
    expect(metrics[sum], sum).toBeLessThan(30);
  }
});

test('the pool shows what is open, under way and waiting', async () => {
  await using upstream = await startUpstream(() => ({
    body: wireMessage('m1'),
    delayMs: 300,
  }));
  await using gateway = await startTestGateway(upstream.url, { REST_CONNECTIONS: '2' });

  const asked = gateway.ask(
    '{ a: message(id: "1") { id } b: message(id: "2") { id } c: message(id: "3") { id } }',
  );
  await expect.poll(() => upstream.calls.length).toBe(2);
  const busy = await scrapeOne(gateway, 'gateway_rest_pool');
  await asked;

  expect(busy).toMatchObject({
    '{state="connected"}': 2,
    '{state="free"}': 0,
    '{state="running"}': 2,
    '{state="queued"}': 1,
  });
  expect(await scrapeOne(gateway, 'gateway_rest_pool')).toMatchObject({
    '{state="running"}': 0,
    '{state="queued"}': 0,
  });
});

test('the circuit to the service shows its state', async () => {
  await using upstream = await startUpstream(() => ({ status: 500 }));
  await using gateway = await startTestGateway(upstream.url, { REST_RETRIES: '0' });

  const before = await scrapeOne(gateway, 'gateway_breaker_state');
  const fields = Array.from(
    { length: 25 },
    (_, n) => `f${n}: message(id: "${n}") { id }`,
  );
  await gateway.ask(`{ ${fields.join(' ')} }`);

  expect(before).toEqual({
    '{state="closed"}': 1,
    '{state="open"}': 0,
    '{state="half-open"}': 0,
  });
  expect(await scrapeOne(gateway, 'gateway_breaker_state')).toMatchObject({
    '{state="closed"}': 0,
    '{state="open"}': 1,
  });
});

test('drift is counted by object; the names the service invents are no labels', async () => {
  const { is_muted, ...conversation } = wireConversation('c1');
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1', { mood: 'good', weather: 'bad' }),
    'GET /v1/conversations/c1': conversation,
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(
    '{ message(id: "m1") { message } conversation(id: "c1") { isMuted } }',
  );

  expect(await scrapeOne(gateway, 'gateway_drift_total')).toEqual({
    '{object="Message",kind="unknown"}': 2,
    '{object="Conversation",kind="missing"}': 1,
  });
});

test('answers over HTTP are counted by route and status, whatever was asked', async () => {
  await using upstream = await startUpstream({});
  await using gateway = await startTestGateway(upstream.url);

  await fetch(`${gateway.url}/healthz`);
  await fetch(`${gateway.url}/junk-path`);
  await fetch(`${gateway.url}/graphql`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  });

  expect(await scrapeOne(gateway, 'gateway_http_responses_total')).toEqual({
    '{route="/healthz",status="200"}': 1,
    '{route="none",status="404"}': 1,
    '{route="/graphql",status="405"}': 1,
    '{route="/graphql",status="400"}': 1,
  });
});

test('nothing that a client or the service invents becomes a label', async () => {
  await using upstream = await startUpstream(({ line }) =>
    line.includes('odd')
      ? { status: 799, body: { code: 'JUNK_CODE', error: 'junk' } }
      : { body: { ...wireMessage('m1'), junk_field: 1 }, headers: { 'x-junk': 'junk' } },
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
  const text = await (await fetch(`${gateway.url}/metrics`)).text();

  expect(text).not.toMatch(/junk/i);
  expect(text).toContain('outcome="other"');
});

test('/metrics is text for Prometheus, and no page of another site reads it', async () => {
  await using upstream = await startUpstream({});
  await using gateway = await startTestGateway(upstream.url);

  const { status, headers } = await fetch(`${gateway.url}/metrics`, {
    headers: { origin: 'https://other.example' },
  });

  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(headers.get('access-control-allow-origin')).toBeNull();
});

test('the process is measured too; two gateways in it count apart', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using one = await startTestGateway(upstream.url);
  await using other = await startTestGateway(upstream.url);

  await one.ask(MESSAGE);

  expect(await scrape(one)).toMatchObject({
    process_cpu_seconds_total: expect.any(Number),
    nodejs_eventloop_lag_p99_seconds: expect.any(Number),
  });
  expect(await scrapeOne(other, 'gateway_operations_total')).toEqual({});
});

test('METRICS=false: there is no /metrics', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url, { METRICS: 'false' });

  const { data } = await gateway.ask(MESSAGE);

  expect(data).toEqual({ message: { message: 'text m1' } });
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
});
