import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../../src/rest/user-agent.ts';
import { reads, startScripted, startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { readMetric, readMetrics } from '../support/metrics.ts';
import { answering } from '../support/upstream.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const MESSAGE = '{ message(id: "m1") { message } }';
const SERVICE = { 'GET /v1/messages/m1': wireMessage('m1') };

test('operations are counted by type and by the codes of their errors', async () => {
  await using gateway = await startScripted({
    ...SERVICE,
    'GET /v1/messages/m2': answering({ status: 403 }),
    'GET /v1/messages/m3': answering({ status: 409 }),
    'DELETE /v1/messages/m1': answering({ status: 409 }),
  });

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
  await using gateway = await startScripted({
    'GET /v1/messages/m1': [
      answering({ status: 503 }),
      answering({ broken: 'before' }),
      wireMessage('m1'),
    ],
    'GET /v1/messages': wirePage([wireMessage('m2')]),
    'PUT /v1/messages/m1': wireMessage('m1'),
  });

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

describe('fields', () => {
  /** The series that are not 0, `Message.id ok`. */
  const counted = (values: Record<string, number>) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([labels, value]) => {
        const [, coordinate, outcome] =
          /coordinate="(.*)",outcome="(.*)"/.exec(labels) ?? [];
        return value === 0 ? [] : [[`${coordinate} ${outcome}`, value]];
      }),
    );

  test('count once for each operation that selects them, and as error if they failed in it', async () => {
    await using gateway = await startScripted({
      'GET /v1/messages': wirePage([
        wireMessage('m1', { conversation_id: 'c1' }),
        wireMessage('m2', { conversation_id: 'c2' }),
      ]),
      'GET /v1/messages/m1': wireMessage('m1'),
      'GET /v1/conversations/c1': answering({ status: 403 }),
      'GET /v1/conversations/c2': answering({ status: 403 }),
    });
    const list = `query ($no: Boolean = false) { messages { nodes { __typename a: id id conversation { isMuted }
      contact @include(if: $no) { id } } } other: messages(first: 0) { nodes { message } } }`;

    for (let times = 0; times < 3; times += 1) await gateway.ask(list);
    await gateway.ask(
      '{ node(nodeId: "bad") { nodeId } message(id: "m1") { ...F } __schema { queryType { name } } } fragment F on Node { nodeId }',
    );
    await gateway.ask(
      '{ messages(first: 101) { nodes { id } } message(id: "..") { id } }',
    );
    await gateway.ask(`{ ${'x: viewer { id } '.repeat(2)} nothing }`);
    await gateway.ask('{ message(id: "m1") { id } }', { extensions: { explain: true } });

    expect(counted(await readMetric(gateway, 'gateway_fields_total'))).toEqual({
      // It is selected twice, and refused in one of the places.
      'Query.messages error': 4,
      'MessageConnection.nodes ok': 4,
      'Message.id ok': 4,
      'Message.message ok': 3,
      'Message.conversation error': 3,
      'Conversation.isMuted ok': 3,
      'Query.node error': 1,
      'Query.message ok': 1,
      'Query.message error': 1,
      // The node might have been either.
      'Message.nodeId ok': 1,
      'Conversation.nodeId ok': 1,
    });
  });

  test('that nobody asked for are there with 0, twice for each field, as many as the docs say', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const values = await readMetric(gateway, 'gateway_fields_total');

    const fields = Object.keys(values).length / 2;
    expect(readFileSync('docs/operating.md', 'utf8')).toContain(`the ${fields} fields`);
    expect(new Set(Object.values(values))).toEqual(new Set([0]));
    expect(values).toHaveProperty(['{coordinate="Contact.avatarUrl",outcome="error"}']);
  });
});

test('durations are in seconds', async () => {
  await using gateway = await startScripted({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
  });

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
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using gateway = await startScripted(
    async () => {
      await released;
      return { body: wireMessage('m1') };
    },
    { REST_CONNECTIONS: '2' },
  );

  const asked = gateway.ask(reads(3));
  await expect.poll(() => gateway.service.calls.length).toBe(2);
  const busy = await readMetric(gateway, 'gateway_rest_pool');
  release();
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

describe('drift', () => {
  test('is each unknown field, and each missing field of the interface, counted by object', async () => {
    const { read_at, ...message } = wireMessage('m1', {
      mood: 'good',
      contact: wireContact({ age: 3 }),
    });
    const { is_muted, ...conversation } = wireConversation('c1');
    await using gateway = await startScripted({
      'GET /v1/messages': { ...wirePage([message, message]), total: 2 },
      'GET /v1/conversations/c1': conversation,
    });

    const { data } = await gateway.ask(
      '{ messages { nodes { readAt } } conversation(id: "c1") { createdAt } }',
    );

    expect(data).toEqual({
      messages: { nodes: [{ readAt: null }, { readAt: null }] },
      conversation: null,
    });
    expect(gateway.drift().toSorted((a, b) => (a.field < b.field ? -1 : 1))).toEqual([
      { object: 'Contact', field: 'age', kind: 'unknown', count: 2 },
      { object: 'Conversation', field: 'is_muted', kind: 'missing', count: 1 },
      { object: 'Message', field: 'mood', kind: 'unknown', count: 2 },
      { object: 'Message', field: 'read_at', kind: 'missing', count: 2 },
      { object: 'List', field: 'total', kind: 'unknown', count: 1 },
    ]);
    expect(await readMetric(gateway, 'gateway_drift_total')).toEqual({
      '{object="Contact",kind="unknown"}': 2,
      '{object="Conversation",kind="missing"}': 1,
      '{object="Message",kind="unknown"}': 2,
      '{object="Message",kind="missing"}': 2,
      '{object="List",kind="unknown"}': 1,
    });
  });

  test('has the headers by which the service announces the end of a call, once for each value', async () => {
    const token = 'secret-token-of-ann';
    await using gateway = await startScripted({
      'GET /v1/messages/m1': answering({
        body: wireMessage('m1'),
        headers: { deprecation: '@1688169599', sunset: `at some time ${token}` },
      }),
      'DELETE /v1/messages/m1': answering({ status: 409, headers: { sunset: 'soon' } }),
    });

    for (let times = 0; times < 2; times += 1) await gateway.ask(MESSAGE, { token });
    await gateway.ask(
      'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }',
    );

    expect(gateway.drift().map(({ field, count }) => [field, count])).toEqual([
      ['@1688169599', 2],
      ['at some time [redacted]', 2],
      ['soon', 1],
    ]);
    expect(await readMetric(gateway, 'gateway_drift_total')).toEqual({
      '{object="GET /v1/messages/:id",kind="deprecation"}': 2,
      '{object="GET /v1/messages/:id",kind="sunset"}': 2,
      '{object="DELETE /v1/messages/:id",kind="sunset"}': 1,
    });
  });

  // security: invented-fields
  test('has few values of such a header, so that fields keep their room', async () => {
    let turn = 0;
    await using gateway = await startScripted(() => {
      turn += 1;
      const late = turn > 150 ? { mood: 'new' } : {};
      return { body: wireMessage('m1', late), headers: { sunset: `day ${turn}` } };
    });

    while (turn < 151) await gateway.ask(MESSAGE);

    const drift = gateway.drift();
    expect(drift).toHaveLength(102);
    expect(drift.find(({ field }) => field === 'mood')?.count).toBe(1);
    expect(drift.find(({ field }) => field === '(others)')?.count).toBe(51);
  });

  // security: invented-fields
  test('has names that are bounded in number and length, and without the token', async () => {
    let turn = 0;
    await using gateway = await startScripted(() => {
      turn += 1;
      const unknown = Array.from({ length: 400 }, (_, index) => [`f${turn}-${index}`, 1]);
      return {
        body: wireMessage('m1', {
          ...Object.fromEntries(unknown),
          'x-ann-token': 1,
          ['long'.repeat(100_000)]: 1,
        }),
      };
    });

    while (turn < 5) await gateway.ask(MESSAGE);

    const drift = gateway.drift();
    expect(drift.length).toBeLessThanOrEqual(1001);
    expect(drift.find(({ field }) => field === '(others)')?.count).toBeGreaterThan(500);
    const names = drift.map(({ field }) => field);
    expect(names).toContain('x-[redacted]');
    expect(names).toContain('long'.repeat(25));
    expect(Math.max(...names.map(({ length }) => length))).toBe(100);
  });
});

test('HTTP responses are counted by route and status; unknown paths share one route', async () => {
  await using gateway = await startTestGateway(NOWHERE);
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
  await using gateway = await startScripted(({ line }) =>
    line.includes('odd')
      ? { status: 799, body: { code: 'JUNK_CODE', error: 'junk' } }
      : { body: wireMessage('m1', { junk_field: 1 }), headers: { 'x-junk': 'junk' } },
  );

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
    await using gateway = await startTestGateway(NOWHERE);

    const { status, headers } = await fetch(`${gateway.url}/metrics`, {
      headers: { origin: 'https://other.example' },
    });

    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('measures the process too, and names its versions', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const versions = `{version="${VERSION}",node="${process.version}"}`;

    expect(await readMetric(gateway, 'gateway_build_info')).toEqual({ [versions]: 1 });

    for (const metric of [
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect(await readMetric(gateway, metric), metric).toEqual({
        '': expect.any(Number),
      });
  });

  test('does not exist with METRICS=false', async () => {
    await using gateway = await startScripted(SERVICE, { METRICS: 'false' });

    const { data } = await gateway.ask(MESSAGE);

    expect(data).toEqual({ message: { message: 'text m1' } });
    expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
  });
});
