import { describe, expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { type AskOptions, askOnce, startTestGateway } from '../support/gateway.ts';
import type { Script } from '../support/upstream.ts';
import { nodeIdOf, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const LONG = 'conv_lisbon_trip';
const ASKED = { extensions: { cost: true } };

type Options = AskOptions & { readonly env?: Record<string, string> };

/** Has every object, and one object in each list. */
const FULL: Script = ({ line }) => {
  const object = line.includes('messages') ? wireMessage('m1') : wireConversation('c1');
  const isList = /^GET .*(messages|conversations)(\?|$)/.test(line);
  return { body: isList ? wirePage([object]) : object };
};

/** Sends an operation to a service of its own, and asks for its cost. */
async function ask(query: string, script: Script = FULL, options: Options = {}) {
  const answer = await askOnce(query, script, { ...ASKED, ...options });
  return { ...answer, cost: answer.extensions?.cost };
}

/** The same with the sample data. */
async function askEmbedded(query: string, env: Record<string, string> = {}) {
  await using service = await startEmbeddedService();
  await using gateway = await startTestGateway(service.url, env);
  return await gateway.ask(query, { ...ASKED, token: 'ada-sample-token' });
}

describe('the cost of an operation', () => {
  test.each([
    ['{ __typename __schema { types { name } } }', 0],
    ['{ a: message(id: "m1") { id } b: message(id: "m1") { message } }', 1],
    ['{ message(id: "m1") { conversation { id nodeId __typename } } }', 1],
    ['{ message(id: "m1") { conversation { isMuted } } }', 2],
    ['{ conversations { nodes { messages { nodes { message } } } } }', 11],
    [
      '{ conversations(first: 3) { nodes { pinnedMessage { message } } edges { node { pinnedMessage { message } } } } }',
      4,
    ],
    ['{ messages(first: 7) { nodes { conversation { isMuted } } } }', 8],
    ['{ messages(conversationId: "c1") { nodes { conversation { isMuted } } } }', 2],
    [
      '{ conversations { nodes { id } } b: conversations(first: 10) { nodes { id } } }',
      1,
    ],
    [
      'fragment F on Conversation { messages { nodes { id } } } query ($n: Int = 4) { conversations(first: $n) { nodes { ...F ...F } } }',
      5,
    ],
    [
      `{ nodes(nodeIds: ["${nodeIdOf('Message', 'm1')}", "${nodeIdOf('Conversation', 'c1')}", "${nodeIdOf('Message', 'm1')}", "junk"]) { ... on Conversation { messages { nodes { id } } } } }`,
      3,
    ],
    ['{ messages(first: 0) { nodes { conversation { isMuted } } } }', 0],
    [
      // Each may have to read its message first.
      'mutation { a: deleteMessage(input: { id: "m1" }) { deletedMessageId } b: deleteMessage(input: { id: "m1" }) { deletedMessageId } }',
      4,
    ],
  ])('%s is %i', async (query, estimated) => {
    const { cost, calls } = await ask(query);

    expect(cost.estimated).toBe(estimated);
    expect(cost.actual).toBe(calls.length);
    expect(cost.actual).toBeLessThanOrEqual(estimated);
  });

  const ofC1 = (fields: string) => `{ conversation(id: "c1") { ${fields} } }`;
  const LATEST = 'latestMessage { id }';
  const NEWEST = { LIST_ORDER: 'newest' };

  test.each<[query: string, price: number, env?: Record<string, string>]>([
    // The latest message, alone and with a page of the newest.
    [ofC1(LATEST), 2],
    [ofC1(`a: ${LATEST} b: ${LATEST}`), 2],
    [ofC1(`${LATEST} messages(first: 3, order: NEWEST_FIRST) { nodes { id } }`), 2],
    [ofC1(`${LATEST} messages(order: NEWEST_FIRST) { nodes { id } }`), 2],
    [
      ofC1(
        `${LATEST} messages(first: null, after: null, order: NEWEST_FIRST) { nodes { id } }`,
      ),
      2,
    ],
    [
      ofC1(
        `messages(first: 2) { nodes { id } } a: messages(first: 20, order: NEWEST_FIRST) { nodes { id } } ${LATEST}`,
      ),
      3,
    ],
    [ofC1(`${LATEST} messages { nodes { id } }`), 3],
    // Who the caller is.
    ['{ viewer { id } }', 3, NEWEST],
    ['{ a: viewer { id } b: viewer { username } }', 3, NEWEST],
    ['{ message(id: "m1") { isMine reactions { isMine } } }', 2, NEWEST],
    ['{ message(id: "m1") { isMine conversation { isMuted } } }', 2, NEWEST],
    ['{ messages(first: 4) { nodes { isMine } } }', 5, NEWEST],
    [
      '{ messages(first: 4) { nodes { reactions { a: isMine b: isMine } isMine } } }',
      5,
      NEWEST,
    ],
    ['{ messages(conversationId: "c1", first: 4) { nodes { isMine } } }', 2, NEWEST],
    [ofC1('messages { nodes { isMine reactions { isMine } } }'), 2, NEWEST],
    [ofC1('pinnedMessage { isMine }'), 2, NEWEST],
    [ofC1('contact { id } latestMessage { isMine } unreadCount'), 2, NEWEST],
    ['{ conversations(first: 3) { nodes { contact { id } unreadCount } } }', 4, NEWEST],
    [
      'mutation { sendMessage(input: { conversationId: "c1", message: "hi" }) { message { isMine } } }',
      2,
      NEWEST,
    ],
    [
      'mutation { addReaction(input: { messageId: "m1", name: "x", username: "ann" }) { message { id } } }',
      6,
    ],
    [
      'mutation { addReaction(input: { messageId: "m1", name: "x" }) { message { isMine } } }',
      7,
    ],
  ])('%s is %i, and with one less it makes no call', async (query, price, env) => {
    const { error, calls } = await ask(query, FULL, {
      env: { ...env, MAX_REST_CALLS: `${price - 1}` },
    });

    expect(error?.extensions).toEqual({
      code: 'OPERATION_TOO_COSTLY',
      cost: { estimated: price, limit: price - 1 },
    });
    expect(calls).toEqual([]);
  });

  test.each([
    ['m1', 'm1">conversation'],
    ['m1","m2', 'm2'],
    ['m1,Message:m2', 'm2'],
  ])('distinguishes ids, whatever they contain: %s and %s', async (a, b) => {
    const { cost, errors } = await ask(
      `query ($a: ID!, $b: ID!, $ids: [ID!]!) {
        a: message(id: $a) { conversation { isMuted } }
        b: message(id: $b) { message }
        nodes(nodeIds: $ids) { ... on Message { message } }
      }`,
      FULL,
      { variables: { a, b, ids: [a, b].map((id) => nodeIdOf('Message', id)) } },
    );

    expect(errors).toBeUndefined();
    expect(cost).toMatchObject({ estimated: 3, actual: 3 });
  });

  test('counts a page without a size as long as MAX_PAGE_SIZE allows, and may be MAX_REST_CALLS', async () => {
    const query = '{ conversations { nodes { messages { nodes { id } } } } }';

    const { cost, errors } = await ask(
      query,
      {
        'GET /v1/conversations': wirePage(
          ['c1', 'c2', 'c3'].map((id) => wireConversation(id)),
        ),
        'GET /v1/messages': wirePage([]),
      },
      { env: { MAX_PAGE_SIZE: '3', MAX_REST_CALLS: '4' } },
    );

    const above = await ask(query, FULL, {
      env: { MAX_PAGE_SIZE: '3', MAX_REST_CALLS: '3' },
    });

    expect(errors).toBeUndefined();
    expect(cost).toEqual({ estimated: 4, actual: 4, limit: 4 });
    expect(above.error?.extensions.cost).toEqual({ estimated: 4, limit: 3 });
  });

  test.each([
    ['first: 10', 'one call', 1, 1],
    ['first: 11', 'further calls, if the service returns fewer at once', 20, 1],
    ['last: 5', 'reading to the end', 20, 4],
  ])('of a page with %s includes %s', async (args, _what, estimated, actual) => {
    const { extensions } = await askEmbedded(
      `{ messages(conversationId: "${LONG}", ${args}) { pageInfo { endCursor } } }`,
    );

    expect(extensions.cost).toMatchObject({ estimated, actual });
  });

  test('is in the answer only on request', async () => {
    expect(await askOnce('{ __typename }', {})).not.toHaveProperty('extensions');
  });
});

describe('an operation above MAX_REST_CALLS', () => {
  // security: costly-query
  test('is refused before any call, with its cost in the error, and the path that costs most', async () => {
    const { status, error, data, extensions, calls } = await ask(
      'query ($n: Int!) { conversations(first: $n) { nodes { pinnedMessage { message } messages { nodes { contact { id } } } } } message(id: "m1") { id } }',
      FULL,
      { variables: { n: 60 }, env: { MAX_REST_CALLS: '50' } },
    );

    expect(status).toBe(400);
    expect([data, extensions]).toEqual([undefined, undefined]);
    expect(error?.extensions).toEqual({
      code: 'OPERATION_TOO_COSTLY',
      cost: { estimated: 122, limit: 50 },
    });
    expect(error?.message).toMatch(
      /122 calls.*50.*MAX_REST_CALLS.*conversations\.(pinnedMessage|messages)/,
    );
    expect(calls).toEqual([]);
  });

  test('is found at once, however its fragments are nested', async () => {
    const fragments = Array.from({ length: 40 }, (_, index) => {
      const next = `nodes { conversation { ...F${index + 1} } }`;
      return `fragment F${index} on Conversation { a${index}: messages(first: 1) { ${next} } b${index}: messages(first: 2) { ${next} } }`;
    });

    const { errors } = await ask(
      `{ conversation(id: "c1") { ...F0 } } ${fragments.join(' ')} fragment F40 on Conversation { isMuted }`,
    );

    expect(errors).toBeDefined();
  });
});

describe('an operation makes no call beyond its cost', () => {
  test('to read to the end of a list, and names the setting that allows more', async () => {
    const { errors, extensions } = await askEmbedded(
      `{ messages(conversationId: "${LONG}", last: 5) { nodes { id } } }`,
      { MAX_REST_CALLS: '3' },
    );

    expect(errors?.[0]?.extensions.code).toBe('PAGE_OUT_OF_REACH');
    expect(errors?.[0]?.message).toContain('MAX_REST_CALLS');
    expect(extensions.cost).toEqual({ estimated: 3, actual: 3, limit: 3 });
  });

  test('to follow links that the interface does not promise', async () => {
    const messages = Array.from({ length: 9 }, (_, index) =>
      wireMessage(`m${index}`, { conversation_id: `other${index}` }),
    );

    const { cost, error, calls } = await ask(
      '{ conversation(id: "c1") { messages { nodes { conversation { isMuted } } } } }',
      {
        'GET /v1/messages': wirePage(messages),
        'GET /v1/conversations/c1': wireConversation('c1'),
      },
    );

    expect(calls).toHaveLength(2);
    expect(cost).toMatchObject({ estimated: 2, actual: 2 });
    expect(error?.extensions.code).toBe('OPERATION_TOO_COSTLY');
  });
});

describe('the objects of an answer', () => {
  /** Pages inside one another that cost no call: each links back to the conversation. */
  const pages = (depth: number, args: string): string =>
    depth === 0
      ? 'isPinned'
      : `messages${args} { nodes { conversation { ${pages(depth - 1, args)} } } }`;
  const nested = (depth: number, args = '(first: 60)') =>
    `{ conversation(id: "${LONG}") { ${pages(depth, args)} } }`;

  // security: endless-response
  test('are counted before any call, since links back to a list multiply them', async () => {
    const within = await askEmbedded(nested(2));
    const above = await ask(nested(4));

    expect(within.errors).toBeUndefined();
    expect(above.status).toBe(400);
    expect(above.error?.extensions).toMatchObject({
      code: 'OPERATION_TOO_COSTLY',
      cost: { limit: 250_000 },
    });
    expect(above.calls).toEqual([]);
  });

  test('include, of a page without a size, as many as MAX_PAGE_SIZE allows', async () => {
    const env = { MAX_PAGE_SIZE: '5', MAX_REST_CALLS: '4' };

    // Two levels of pages of five are about 100 objects, three are about 600; 200 are allowed.
    const two = await ask(nested(2, ''), FULL, { env });
    const three = await ask(nested(3, ''), FULL, { env });

    expect(two.status).toBe(200);
    expect(three.error?.extensions).toMatchObject({
      code: 'OPERATION_TOO_COSTLY',
      cost: { objects: expect.any(Number), limit: 200 },
    });
  });

  // security: endless-response
  test.each([
    [500, 200, 'BAD_USER_INPUT'],
    [50_000, 400, 'OPERATION_TOO_COSTLY'],
  ])('include those of ids that are junk: %i ids', async (count, expected, code) => {
    const { status, error } = await ask(
      'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }',
      FULL,
      { variables: { ids: Array(count).fill('junk') } },
    );

    expect(status).toBe(expected);
    expect(error?.extensions.code).toBe(code);
  });

  test('do not hide that a page is longer than allowed', async () => {
    const { status, codes } = await ask('{ messages(first: 1000000) { nodes { id } } }');

    expect(status).toBe(200);
    expect(codes).toEqual({ messages: 'BAD_USER_INPUT' });
  });
});
