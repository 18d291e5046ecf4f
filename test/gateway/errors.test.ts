import { describe, expect, test } from 'vitest';
import { type AskOptions, codes, startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream, type UpstreamAnswer } from '../support/upstream.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const READ = '{ message(id: "m1") { id } }';
const LIST = '{ messages { nodes { id } } }';
const WRITE =
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }';
const DELETE = 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }';

/** Asks one operation of a service that gives every call the same answer. */
async function ask(
  query: string,
  given: UpstreamAnswer,
  options: AskOptions & { env?: object } = {},
) {
  await using upstream = await startUpstream(() => given);
  await using gateway = await startTestGateway(upstream.url, {
    REST_RETRIES: '0',
    ...options.env,
  });
  const answer = await gateway.ask(query, options);
  return { ...answer, error: answer.errors?.[0], calls: upstream.lines() };
}

describe('a status of the service', () => {
  const body = { error: { message: 'because' } };

  test.each([
    [READ, 400, 'BAD_USER_INPUT'],
    [READ, 401, 'UNAUTHENTICATED'],
    [READ, 403, 'FORBIDDEN'],
    [READ, 409, 'CONFLICT'],
    [READ, 418, 'UPSTREAM_ERROR'],
    [READ, 422, 'BAD_USER_INPUT'],
    [READ, 429, 'RATE_LIMITED'],
    [LIST, 404, 'UPSTREAM_ERROR'],
    [LIST, 410, 'UPSTREAM_ERROR'],
    [WRITE, 404, 'NOT_FOUND'],
    [WRITE, 410, 'NOT_FOUND'],
    [DELETE, 404, 'NOT_FOUND'],
    [WRITE, 409, 'CONFLICT'],
    [WRITE, 422, 'BAD_USER_INPUT'],
  ])('%s answered %i is %s with what the service said', async (query, status, code) => {
    const answer = await ask(query, { status, body });

    expect(answer.status).toBe(200);
    expect(Object.values(answer.data)).toEqual([null]);
    expect(answer.errors).toHaveLength(1);
    expect(answer.error?.extensions).toEqual({ code, upstream: { status, body } });
    expect(answer.error?.path).toHaveLength(1);
  });

  test.each([
    [READ, 301],
    [READ, 302],
    [READ, 304],
    [READ, 500],
    [READ, 503],
    [LIST, 502],
  ])('%s answered %i is UPSTREAM_ERROR without a body', async (query, status) => {
    const { error } = await ask(query, { status, headers: { location: '/elsewhere' } });

    expect(error?.extensions).toEqual({ code: 'UPSTREAM_ERROR', upstream: { status } });
  });

  test.each([
    ['{ message(id: "m1") { id } }'],
    ['{ conversation(id: "c1") { id } }'],
    ['{ messages(conversationId: "c1") { nodes { id } } }'],
    ['{ messages(conversationId: "c1", last: 3) { nodes { id } } }'],
    ['{ conversations(groupId: "g1") { nodes { id } } }'],
    [`{ node(nodeId: "${Buffer.from('Message:m1').toString('base64url')}") { nodeId } }`],
  ])('%s of an unknown id is null and no error', async (query) => {
    for (const status of [404, 410]) {
      const { data, errors } = await ask(query, { status, body: 'no such thing' });

      expect(errors).toBeUndefined();
      expect(Object.values(data)).toEqual([null]);
    }
  });

  test('404 for a link or for the messages of a conversation is null and no error', async () => {
    await using upstream = await startUpstream({
      'GET /v1/conversations/c1': wireConversation('c1', { pinned_message_id: 'm9' }),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data, errors } = await gateway.ask(
      '{ conversation(id: "c1") { id pinnedMessage { message } messages { nodes { id } } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.conversation).toEqual({ id: 'c1', pinnedMessage: null, messages: null });
  });

  test.each([
    ['7', 7],
    ['0', 0],
    [new Date(0).toUTCString(), 0],
    ['3.5', 4],
  ])('429 with Retry-After "%s" says when to come back', async (header, seconds) => {
    const { error } = await ask(READ, {
      status: 429,
      headers: { 'retry-after': header },
    });

    expect(error?.extensions.code).toBe('RATE_LIMITED');
    expect(error?.extensions.retryAfterSeconds).toEqual(seconds);
  });

  test('429 with Retry-After as a date that lies ahead says how long that is', async () => {
    const { error } = await ask(READ, {
      status: 429,
      headers: { 'retry-after': new Date(Date.now() + 90_000).toUTCString() },
    });

    const seconds = error?.extensions.retryAfterSeconds;
    expect(seconds).toBeGreaterThanOrEqual(60);
    expect(seconds).toBeLessThanOrEqual(91);
  });

  test.each([[undefined], ['soon'], ['-1'], ['2026-01-01']])(
    '429 with Retry-After "%s" says no time',
    async (header) => {
      const headers = header === undefined ? {} : { 'retry-after': header };
      const { error } = await ask(READ, { status: 429, headers });

      expect(error?.extensions).not.toHaveProperty('retryAfterSeconds');
    },
  );

  test('any 2xx is success', async () => {
    for (const status of [200, 201, 202, 203, 206, 299]) {
      const { data, errors } = await ask(WRITE, { status, body: wireMessage('m1') });

      expect(errors).toBeUndefined();
      expect(data.updateMessage.message.id).toBe('m1');
    }
  });

  test.each([
    ['empty', { status: 200 }],
    ['204', { status: 204 }],
    ['the object', { status: 200, body: wireMessage('m1') }],
    ['a flag', { status: 200, body: { deleted: true } }],
    ['text', { status: 202, body: 'gone <b>now</b>' }],
  ])('a delete succeeds whatever its body: %s', async (_what, given) => {
    const { data, errors } = await ask(DELETE, given);

    expect(errors).toBeUndefined();
    expect(data.deleteMessage.deletedMessageId).toBe('m1');
  });
});

describe('what the service said', () => {
  test.each([
    ['JSON of another shape', '["no",1]', ['no', 1]],
    ['text', 'just no', 'just no'],
    ['HTML', '<h1>No</h1>', '<h1>No</h1>'],
    ['nothing', '', null],
    ['JSON cut short', '{"a":', '{"a":'],
  ])('is passed on: %s', async (_what, body, expected) => {
    const { error } = await ask(READ, { status: 403, body });

    expect(error?.extensions.upstream).toEqual({ status: 403, body: expected });
  });

  test('is cut to 4 KiB, between two characters', async () => {
    const { error } = await ask(READ, { status: 400, body: `x${'é'.repeat(5000)}` });

    expect(error?.extensions.upstream).toEqual({
      status: 400,
      body: `x${'é'.repeat(2047)}`,
    });
  });

  test.each([
    ['plain', (token: string) => token],
    ['in JSON', (token: string) => JSON.stringify({ seen: `Bearer ${token}` })],
    ['in JSON in JSON', (token: string) => JSON.stringify(JSON.stringify({ token }))],
    ['percent-encoded', (token: string) => encodeURIComponent(token)],
    [
      'percent-encoded in lower case',
      (token: string) =>
        encodeURIComponent(token).replace(/%../g, (hex) => hex.toLowerCase()),
    ],
    [
      'percent-encoded twice',
      (token: string) => encodeURIComponent(encodeURIComponent(token)),
    ],
    [
      'wholly percent-encoded',
      (token: string) => token.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`),
    ],
    [
      'as \\u escapes',
      (token: string) =>
        token.replace(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
    [
      'with escaped slashes',
      (token: string) => JSON.stringify(token).replaceAll('/', '\\/'),
    ],
    ['across the cut at 4 KiB', (token: string) => 'x'.repeat(4090) + token],
  ])('never holds the token: %s', async (_how, write) => {
    const token = 'abc/DEF"ghi\\jkl+%41=';
    const { error } = await ask(READ, { status: 400, body: write(token) }, { token });

    const text = JSON.stringify(error);
    expect(text).toContain('[re');
    for (const part of ['abc', 'DEF', 'ghi', 'jkl'])
      expect(text.toLowerCase()).not.toContain(part.toLowerCase());
  });
});

describe('no answer', () => {
  test.each([
    [READ, 'UPSTREAM_TIMEOUT', {}],
    [WRITE, 'UPSTREAM_TIMEOUT', { outcome: 'unknown' }],
  ])('in time: %s is %s', async (query, code, more) => {
    const { error } = await ask(
      query,
      { delayMs: 3000, body: {} },
      { env: { REST_TIMEOUT_MS: '50' } },
    );

    expect(error?.extensions).toEqual({ code, ...more });
  });

  test('within what an operation may take is UPSTREAM_TIMEOUT for what is left', async () => {
    await using upstream = await startUpstream(({ line }) => ({
      body: wireMessage(line.slice(-2)),
      delayMs: line.endsWith('m2') ? 5000 : 0,
    }));
    await using gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '200',
    });

    const answer = await gateway.ask(
      '{ a: message(id: "m1") { id } b: message(id: "m2") { id } }',
    );

    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ a: { id: 'm1' }, b: null });
    expect(codes(answer)).toEqual({ b: 'UPSTREAM_TIMEOUT' });
  });

  test.each([
    [READ, 'before', {}],
    [READ, 'within', {}],
    [WRITE, 'before', { outcome: 'unknown' }],
    [WRITE, 'within', { outcome: 'unknown' }],
  ] as const)(
    '%s cut off %s its answer is UPSTREAM_UNREACHABLE',
    async (query, broken, more) => {
      const { error } = await ask(query, { broken, body: wireMessage('m1') });

      expect(error?.extensions).toEqual({ code: 'UPSTREAM_UNREACHABLE', ...more });
    },
  );

  test.each([[READ], [WRITE]])(
    'for want of a service: %s is UPSTREAM_UNREACHABLE, and the outcome is known',
    async (query) => {
      const upstream = await startUpstream({});
      await upstream[Symbol.asyncDispose]();
      await using gateway = await startTestGateway(upstream.url);

      const { errors } = await gateway.ask(query);

      expect(errors?.map(({ extensions }) => extensions)).toEqual([
        { code: 'UPSTREAM_UNREACHABLE' },
      ]);
    },
  );
});

describe('a failed write', () => {
  test.each([
    ['500', { status: 500 }],
    ['502', { status: 502 }],
    ['303', { status: 303, headers: { location: '/v1/messages/m1' } }],
    ['no JSON', { status: 200, body: 'oops' }],
    ['an object that is no message', { status: 200, body: { id: 'm1' } }],
  ])('has an unknown outcome after %s', async (_what, given) => {
    const { error, calls } = await ask(WRITE, given, { env: { REST_RETRIES: '2' } });

    expect(error?.extensions.outcome).toBe('unknown');
    expect(calls).toEqual(['PUT /v1/messages/m1']);
  });

  test.each([[400], [401], [404], [409], [429]])(
    'has a known outcome after %i',
    async (status) => {
      const { error } = await ask(WRITE, { status });

      expect(error?.extensions).not.toHaveProperty('outcome');
    },
  );
});

describe('a read that fails in passing', () => {
  test.each([
    ['503', answering({ status: 503 })],
    ['502', answering({ status: 502 })],
    ['504', answering({ status: 504 })],
    ['a lost connection', answering({ broken: 'before' })],
    ['half an answer', answering({ broken: 'within', body: '{"id":' })],
  ])('is asked again, up to REST_RETRIES times: %s', async (_what, failure) => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': [failure, failure, wireMessage('m1')],
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data, errors } = await gateway.ask(READ);

    expect(errors).toBeUndefined();
    expect(data.message.id).toBe('m1');
    expect(upstream.calls).toHaveLength(3);
  });

  test('is given up after REST_RETRIES tries more', async () => {
    await using upstream = await startUpstream(() => ({ status: 503 }));
    await using gateway = await startTestGateway(upstream.url, { REST_RETRIES: '1' });

    const answer = await gateway.ask(READ);

    expect(codes(answer)).toEqual({ message: 'UPSTREAM_ERROR' });
    expect(upstream.calls).toHaveLength(2);
  });
});

describe('an answer that is not what the interface promises', () => {
  test.each([
    ['no JSON', 'oops'],
    ['nothing', ''],
    ['a list', []],
    ['null', 'null'],
    ['an id that is no string', wireMessage('m1', { id: 7 })],
    ['a missing id', wireMessage('m1', { id: undefined })],
    ['a missing text', wireMessage('m1', { message: undefined })],
    ['null for a text', wireMessage('m1', { message: null })],
    ['no contact', wireMessage('m1', { contact: null })],
    [
      'a contact without a username',
      wireMessage('m1', { contact: wireContact({ username: undefined }) }),
    ],
    [
      'a phone number that is a number',
      wireMessage('m1', { contact: wireContact({ phone_number: 1 }) }),
    ],
    ['reactions that are no list', wireMessage('m1', { reactions: { heart: ['ann'] } })],
    ['a reaction that is no object', wireMessage('m1', { reactions: ['heart'] })],
    ['usernames that are no strings', wireMessage('m1', { reactions: [{ heart: [1] }] })],
    ['attachments that are null', wireMessage('m1', { attachments: null })],
    ['an attachment that is null', wireMessage('m1', { attachments: [{ a: 1 }, null] })],
    [
      'an attachment nested too deep to be written again',
      JSON.stringify(wireMessage('m1')).replace(
        '"attachments":[]',
        `"attachments":[${'['.repeat(20_000)}${']'.repeat(20_000)}]`,
      ),
    ],
    ['an id that is no well-formed Unicode', wireMessage('m1', { id: 'a\ud800' })],
    ['a date as text', wireMessage('m1', { created_at: '2026-01-01' })],
    ['a fraction of a second', wireMessage('m1', { read_at: 1.5 })],
    ['an integer above 2^53-1', '{"id":"m1","created_at":9007199254740993}'],
  ])('is UPSTREAM_INVALID_RESPONSE: %s', async (_what, body) => {
    const { data, error, errors } = await ask(READ, { body });

    expect(data).toEqual({ message: null });
    expect(errors).toHaveLength(1);
    expect(error?.extensions).toEqual({ code: 'UPSTREAM_INVALID_RESPONSE' });
    expect(error?.message).toMatch(/^GET \/v1\/messages\/:id answered /);
  });

  test.each([
    ['no has_more', { data: [] }],
    ['has_more as text', { has_more: 'no', data: [] }],
    ['no data', { has_more: false }],
    ['data that is an object', { has_more: false, data: {} }],
    ['a bare list', [wireMessage('m1')]],
  ])('is UPSTREAM_INVALID_RESPONSE for a list: %s', async (_what, body) => {
    const { data, error } = await ask(LIST, { body });

    expect(data).toEqual({ messages: null });
    expect(error?.extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
  });

  test('costs one item of a list and no other, on edges and nodes, each with its cursor', async () => {
    const body = wirePage([
      wireMessage('m1'),
      wireMessage('m2', { created_at: 'x' }),
      'junk',
      wireMessage('m4', { id: 4 }),
      wireMessage('m5'),
    ]);

    const answer = await ask(
      '{ messages { nodes { id } edges { cursor node { id } } } }',
      { body },
    );

    const nodes = [{ id: 'm1' }, null, null, null, { id: 'm5' }];
    expect(answer.data.messages.nodes).toEqual(nodes);
    expect(answer.data.messages.edges.map(({ node }: { node: unknown }) => node)).toEqual(
      nodes,
    );
    expect(
      new Set(answer.data.messages.edges.map(({ cursor }: { cursor: string }) => cursor))
        .size,
    ).toBe(5);
    expect(codes(answer)).toEqual(
      Object.fromEntries(
        [1, 2, 3].flatMap((i) => [
          [`messages.nodes.${i}`, 'UPSTREAM_INVALID_RESPONSE'],
          [`messages.edges.${i}.node`, 'UPSTREAM_INVALID_RESPONSE'],
        ]),
      ),
    );
  });

  test('does not include fields nobody knows', async () => {
    const { data, errors } = await ask(READ, {
      body: wireMessage('m1', { mood: { x: 1 } }),
    });

    expect(errors).toBeUndefined();
    expect(data.message.id).toBe('m1');
  });

  test('is also one above MAX_RESPONSE_BYTES, which is cut off', async () => {
    const big = wireMessage('m1', { message: 'x'.repeat(100_000) });
    const env = { MAX_RESPONSE_BYTES: '50000' };

    const refused = await ask(READ, { body: big }, { env });
    const taken = await ask(READ, { body: big });

    expect(refused.error?.extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
    expect(refused.error?.message).toContain('50000');
    expect(taken.data.message.id).toBe('m1');
  });
});

describe('without a bearer token', () => {
  test.each([
    ['no header', {}],
    ['an empty one', { authorization: '' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['no token', { authorization: 'Bearer' }],
    ['two tokens', { authorization: 'Bearer a b' }],
    ['two spaces', { authorization: 'Bearer  a' }],
    ['an umlaut', { authorization: 'Bearer \u00fc' }],
  ])('nothing is asked of the service: %s', async (_what, headers) => {
    await using upstream = await startUpstream({});
    await using gateway = await startTestGateway(upstream.url);

    const read = await gateway.ask(
      `{ __typename message(id: "m1") { id } messages { nodes { id } } }`,
      { token: null, headers: headers as Record<string, string> },
    );
    const written = await gateway.ask(WRITE, {
      token: null,
      headers: headers as Record<string, string>,
    });

    expect(read.status).toBe(200);
    expect(read.data).toEqual({ __typename: 'Query', message: null, messages: null });
    expect(codes(read)).toEqual({
      message: 'UNAUTHENTICATED',
      messages: 'UNAUTHENTICATED',
    });
    expect(codes(written)).toEqual({ updateMessage: 'UNAUTHENTICATED' });
    expect(upstream.calls).toEqual([]);
  });

  test('introspection works', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');

    const { data } = await gateway.ask('{ __schema { queryType { name } } }', {
      token: null,
    });

    expect(data.__schema.queryType.name).toBe('Query');
  });
});

test('a redirect is not followed, so the token stays with the service', async () => {
  await using elsewhere = await startUpstream(() => ({ body: wireMessage('m1') }));
  await using upstream = await startUpstream(() => ({
    status: 307,
    headers: { location: `${elsewhere.url}/v1/messages/m1` },
  }));
  await using gateway = await startTestGateway(upstream.url);

  const read = await gateway.ask(READ);
  const written = await gateway.ask(WRITE);

  expect(codes(read)).toEqual({ message: 'UPSTREAM_ERROR' });
  expect(codes(written)).toEqual({ updateMessage: 'UPSTREAM_ERROR' });
  expect(elsewhere.calls).toEqual([]);
});
