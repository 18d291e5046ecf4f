import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE, postRaw, sendRaw } from '../support/http.ts';
import { readMetric } from '../support/metrics.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

type Headers = Readonly<Record<string, string>>;

/** Fastify answers requests whose type is written so; all others here are answered without it. */
const OTHER_SPELLING = 'application/json ;charset=utf-8';

const TOKEN = { authorization: 'Bearer ann-token' };
const query = (text: string, more = {}) => JSON.stringify({ query: text, ...more });
const LONG = '{ messages(first: 50) { nodes { id message createdAt } } }';

const REQUESTS: readonly (readonly [string, string, Headers])[] = [
  ['an operation', query('{ __typename }'), {}],
  ['a call', query('{ conversation(id: "c1") { id } }'), TOKEN],
  ['a call without a token', query('{ conversation(id: "c1") { id } }'), {}],
  ['a call with a malformed token', query(LONG), { authorization: 'Basic YTpi' }],
  ['a write', query('mutation { deleteMessage(id: "m1") { deletedMessageId } }'), TOKEN],
  ['a long answer', query(LONG), TOKEN],
  ['a long answer, compressed', query(LONG), { ...TOKEN, 'accept-encoding': 'gzip' }],
  ['a long answer, as it is', query(LONG), { ...TOKEN, 'accept-encoding': 'identity' }],
  ['a short answer', query('{ __typename }'), { 'accept-encoding': 'gzip, br' }],
  [
    'the media type of GraphQL',
    query('{ no }'),
    { accept: 'application/graphql-response+json' },
  ],
  ['plain JSON', query('{ no }'), { accept: 'application/json' }],
  ['no type that there is', query('{ __typename }'), { accept: 'image/png' }],
  ['a syntax error', query('{'), {}],
  ['an unknown field', query('{ no }'), {}],
  [
    'a wrong variable',
    query('query($n: Int!) { messages(first: $n) { nodes { id } } }'),
    TOKEN,
  ],
  ['no query', '{}', {}],
  ['a list', '[]', {}],
  ['no JSON', '{"query', {}],
  ['an empty body', '', {}],
  ['an unknown hash', JSON.stringify({ id: 'f'.repeat(64) }), {}],
  ['a subscription', query('subscription { activity { __typename } }'), TOKEN],
  ['an origin', query('{ __typename }'), { origin: 'https://one.example' }],
  ['another origin', query('{ __typename }'), { origin: 'https://two.example' }],
  ['the costs', query('{ __typename }', { extensions: { cost: true } }), {}],
];

const SERVICE = {
  'GET /v1/conversations/c1': wireConversation('c1'),
  'GET /v1/messages': wirePage(
    Array.from({ length: 50 }, (_, index) => wireMessage(`m${index}`)),
  ),
  'DELETE /v1/messages/m1': {},
};

describe.each([['*'], ['https://one.example,https://three.example']])(
  'with CORS_ORIGINS=%s, Fastify answers alike:',
  (CORS_ORIGINS) => {
    test.each(REQUESTS)('%s', async (_name, body, headers) => {
      await using upstream = await startUpstream(SERVICE);
      await using gateway = await startTestGateway(upstream.url, { CORS_ORIGINS });
      const other = { ...headers, 'content-type': OTHER_SPELLING };

      const answers = [
        await postRaw(gateway.url, body, headers),
        await postRaw(gateway.url, body, other),
      ];

      expect(answers[0]).toEqual(answers[1]);
      const status = answers[0]?.[0]?.split(' ')[1];
      const counted = await readMetric(gateway, 'gateway_http_responses_total');
      expect(counted).toMatchObject({ [`{route="/graphql",status="${status}"}`]: 2 });
    });
  },
);

test('a client that leaves before the end of its body leaves nothing behind', async () => {
  // The gateway waits for running operations before it closes: here, for longer than any test may take.
  await using gateway = await startTestGateway(NOWHERE, {
    OPERATION_TIMEOUT_MS: '2147483647',
  });
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    'POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"que',
  );
  socket.resume().end();
  await once(socket, 'close');

  expect((await gateway.ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
  await gateway.close();
});

const typename =
  'POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 24\r\n\r\n{"query":"{__typename}"}';

test('many requests in one moment over one connection are answered, and those before an unreadable one', async () => {
  await using gateway = await startTestGateway(NOWHERE);
  const last = typename.replace('host: a', 'host: a\r\nconnection: close');

  // Its plan is kept when it is sent for the second time.
  for (const _ of [1, 2]) await gateway.ask('{__typename}');
  const many = await sendRaw(gateway.url, typename.repeat(64) + last);
  const broken = await sendRaw(gateway.url, `${typename}${typename}no request\r\n\r\n`);

  expect(many.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(65).fill('HTTP/1.1 200'));
  expect(broken.match(/HTTP\/1\.1 \d+/g)).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 200',
    'HTTP/1.1 400',
  ]);
});

test('only answers that were sent are counted', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 60_000 }),
  });
  await using gateway = await startTestGateway(upstream.url);
  const controller = new AbortController();
  const { signal } = controller;
  const asked = gateway.ask('{ message(id: "m1") { id } }', { signal });
  await expect.poll(() => upstream.calls.length).toBe(1);

  controller.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => upstream.aborted.length).toBe(1);
  await gateway.ask('{ __typename }');

  const counted = await readMetric(gateway, 'gateway_http_responses_total');
  expect(counted).toMatchObject({ '{route="/graphql",status="200"}': 1 });
});

test('requests over one connection are all answered if the gateway stops meanwhile', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
    'PUT /v1/messages/m1': wireMessage('m1'),
  });
  const gateway = await startTestGateway(upstream.url);
  const post = (query: string, connection = 'keep-alive') => {
    const body = JSON.stringify({ query });
    return `POST /graphql HTTP/1.1\r\nhost: a\r\nconnection: ${connection}\r\nauthorization: Bearer ann-token\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  const write =
    'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }';

  const answered = sendRaw(
    gateway.url,
    post('{ message(id: "m1") { id } }') + post(write) + post(write),
  );
  await expect.poll(() => upstream.calls.length).toBe(3);
  await gateway.close();

  expect((await answered).match(/HTTP\/1\.1 200/g)).toHaveLength(3);
});
