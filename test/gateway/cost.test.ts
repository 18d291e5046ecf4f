import { describe, expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { type AskOptions, startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const nodeId = (text: string) => Buffer.from(text).toString('base64url');
const LONG = 'conv_lisbon_trip';

/** Sends an operation to a gateway of its own, and asks for its cost. */
async function ask(
  messagingUrl: string,
  query: string,
  { env = {}, ...options }: AskOptions & { env?: Record<string, string> } = {},
) {
  await using gateway = await startTestGateway(messagingUrl, env);
  const answer = await gateway.ask(query, {
    token: 'ada-sample-token',
    extensions: { cost: true },
    ...options,
  });
  return {
    ...answer,
    cost: answer.extensions?.cost,
    codes: [...new Set(answer.errors?.map(({ extensions }) => extensions.code))],
  };
}

/** A service that has every object, and one object in each list. */
const startFullService = () =>
  startUpstream(({ line }) => {
    const object = line.includes('messages') ? wireMessage('m1') : wireConversation('c1');
    const isList = /^GET .*(messages|conversations)(\?|$)/.test(line);
    return { body: isList ? wirePage([object]) : object };
  });

describe('the cost of an operation', () => {
  test.each([
    ['{ __typename }', 0],
    ['{ __schema { types { name } } }', 0],
    ['{ message(id: "m1") { id } }', 1],
    ['{ a: message(id: "m1") { id } b: message(id: "m1") { message } }', 1],
    ['{ a: message(id: "m1") { id } b: message(id: "m2") { message } }', 2],
    ['{ message(id: "m1") { conversation { id nodeId __typename } } }', 1],
    ['{ message(id: "m1") { conversation { isMuted } } }', 2],
    ['{ message(id: "m1") { contact { username } reactions { count } } }', 1],
    ['{ conversations { nodes { id } } }', 1],
    ['{ conversations { nodes { messages { nodes { message } } } } }', 11],
    [
      '{ conversations { edges { node { messages { edges { node { message } } } } } } }',
      11,
    ],
    ['{ conversations { nodes { pinnedMessage { message } } } }', 11],
    ['{ conversations { nodes { pinnedMessage { id } } } }', 1],
    [
      '{ conversations(first: 3) { nodes { messages { nodes { conversation { isMuted } } } } } }',
      4,
    ],
    ['{ messages(first: 7) { nodes { conversation { isMuted } } } }', 8],
    ['{ messages(conversationId: "c1") { nodes { conversation { isMuted } } } }', 2],
    [
      '{ conversation(id: "c1") { pinnedMessage { conversation { isMuted } message } } }',
      2,
    ],
    [
      '{ conversations { nodes { id } } again: conversations(first: 10) { nodes { id } } }',
      2,
    ],
    [
      'query ($no: Boolean = false) { conversations { nodes { messages @include(if: $no) { nodes { id } } } } }',
      1,
    ],
    [
      'query ($n: Int = 4) { conversations(first: $n) { nodes { messages { nodes { id } } } } }',
      5,
    ],
    [
      'fragment F on Conversation { messages { nodes { id } } } { conversations(first: 2) { nodes { ...F ...F } } }',
      3,
    ],
    [
      `{ nodes(nodeIds: ["${nodeId('Message:m1')}", "${nodeId('Conversation:c1')}", "${nodeId('Message:m1')}", "junk"]) { ... on Conversation { messages { nodes { id } } } } }`,
      3,
    ],
    ['{ message(id: "m1") { conversation { pinnedMessage { message } } } }', 3],
    ['{ messages(first: 0) { nodes { conversation { isMuted } } } }', 0],
    [
      // Each may have to read its message first.
      'mutation { a: deleteMessage(input: { id: "m1" }) { deletedMessageId } b: deleteMessage(input: { id: "m1" }) { deletedMessageId } }',
      4,
    ],
    [
      'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { conversation { isMuted } } } }',
      2,
    ],
  ])('%s is %i', async (query, estimated) => {
    await using upstream = await startFullService();

    const { cost } = await ask(upstream.url, query);

    expect(cost.estimated).toBe(estimated);
    expect(cost.actual).toBe(upstream.calls.length);
    expect(cost.actual).toBeLessThanOrEqual(estimated);
  });

  test.each([
    ['m1', 'm1>conversation'],
    ['m1', 'm1">conversation'],
    ['m1","m2', 'm2'],
    ['m1,Message:m2', 'm2'],
  ])('distinguishes ids, whatever they contain: %s and %s', async (a, b) => {
    await using upstream = await startFullService();

    const { cost, errors } = await ask(
      upstream.url,
      `query ($a: ID!, $b: ID!, $ids: [ID!]!) {
        a: message(id: $a) { conversation { isMuted } }
        b: message(id: $b) { message }
        nodes(nodeIds: $ids) { ... on Message { message } }
      }`,
      { variables: { a, b, ids: [a, b].map((id) => nodeId(`Message:${id}`)) } },
    );

    expect(errors).toBeUndefined();
    expect(cost).toMatchObject({ estimated: 3, actual: 3 });
  });

  test('counts a page without a size as long as MAX_PAGE_SIZE allows', async () => {
    await using upstream = await startUpstream({
      'GET /v1/conversations': wirePage(
        ['c1', 'c2', 'c3'].map((id) => wireConversation(id)),
      ),
      'GET /v1/messages': wirePage([]),
    });

    const { cost, errors } = await ask(
      upstream.url,
      '{ conversations { nodes { messages { nodes { id } } } } }',
      { env: { MAX_PAGE_SIZE: '3', MAX_REST_CALLS: '4' } },
    );

    expect(errors).toBeUndefined();
    expect(cost).toEqual({ estimated: 4, actual: 4, limit: 4 });
  });

  test.each([
    ['first: 10', 'one call', 1, 1],
    ['first: 11', 'further calls, if the service returns fewer at once', 20, 1],
    ['last: 5', 'reading to the end', 20, 4],
  ])('of a page with %s includes %s', async (args, _what, estimated, actual) => {
    await using service = await startEmbeddedService();

    const { cost } = await ask(
      service.url,
      `{ messages(conversationId: "${LONG}", ${args}) { pageInfo { endCursor } } }`,
    );

    expect(cost).toMatchObject({ estimated, actual });
  });

  test('counts only calls that are made: none without a token or for bad input', async () => {
    await using upstream = await startUpstream({
      'PUT /v1/messages/m1': wireMessage('m1'),
    });

    const anonymous = await ask(
      upstream.url,
      '{ a: message(id: "m1") { message } b: message(id: "m2") { message } }',
      { token: null },
    );
    const refused = await ask(
      upstream.url,
      `mutation {
        a: updateMessage(input: { id: "m1", message: "x" }) { message { id } }
        b: updateMessage(input: { id: "m1" }) { message { id } }
      }`,
    );

    expect(anonymous.cost).toMatchObject({ estimated: 2, actual: 0 });
    expect(refused.cost).toMatchObject({ estimated: 2, actual: 1 });
    expect(upstream.calls).toHaveLength(1);
  });

  test('is in the answer only on request', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    expect(await gateway.ask('{ __typename }')).not.toHaveProperty('extensions');
  });
});

describe('an operation above MAX_REST_CALLS', () => {
  test('is refused before any call, with the path that costs most', async () => {
    await using upstream = await startUpstream({});

    const { status, errors, data } = await ask(
      upstream.url,
      'query ($n: Int!) { conversations(first: $n) { nodes { pinnedMessage { message } messages { nodes { contact { id } } } } } message(id: "m1") { id } }',
      { variables: { n: 60 }, env: { MAX_REST_CALLS: '50' } },
    );

    expect(status).toBe(400);
    expect(data).toBeUndefined();
    expect(errors?.[0]?.extensions).toEqual({
      code: 'OPERATION_TOO_COSTLY',
      cost: { estimated: 122, limit: 50 },
    });
    expect(errors?.[0]?.message).toMatch(
      /122 calls.*50.*MAX_REST_CALLS.*conversations\.(pinnedMessage|messages)/,
    );
    expect(upstream.calls).toEqual([]);
  });

  test.each([
    ['calls', '{ conversations(first: 100) { nodes { messages { nodes { id } } } } }'],
    [
      'objects',
      '{ a: conversation(id: "c1") { messages(first: 50) { nodes { conversation { messages(first: 50) { nodes { id } } } } } } }',
    ],
    ['ids', 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }'],
  ])('has its cost in the error only: too many %s', async (_what, query) => {
    const answer = await ask(NOWHERE, query, {
      variables: { ids: Array(5000).fill('x') },
      env: { MAX_REST_CALLS: '2' },
    });

    expect(answer.errors?.[0]?.extensions).toMatchObject({
      code: 'OPERATION_TOO_COSTLY',
      cost: { limit: expect.any(Number) },
    });
    expect(answer).not.toHaveProperty('extensions');
  });

  test.each([
    [10, []],
    [11, ['OPERATION_TOO_COSTLY']],
  ])(
    'is refused from one call above the limit on: a list under %i',
    async (first, refusal) => {
      await using upstream = await startUpstream({
        'GET /v1/conversations': wirePage([]),
      });

      const { codes } = await ask(
        upstream.url,
        `{ conversations(first: ${first}) { nodes { messages { nodes { id } } } } }`,
        { env: { MAX_REST_CALLS: '11' } },
      );

      expect(codes).toEqual(refusal);
    },
  );

  test('does not include 300 aliases of one object, which are one call', async () => {
    await using upstream = await startFullService();
    const fields = Array.from(
      { length: 300 },
      (_, index) => `f${index}: message(id: "m1") { message }`,
    );

    const { cost, errors } = await ask(upstream.url, `{ ${fields.join(' ')} }`);

    expect(errors).toBeUndefined();
    expect(cost).toEqual({ estimated: 1, actual: 1, limit: 250 });
  });

  test('is found at once, however its fragments are nested', async () => {
    const fragments = Array.from(
      { length: 40 },
      (_, index) =>
        `fragment F${index} on Conversation { a${index}: messages(first: 1) { nodes { conversation { ...F${index + 1} } } } b${index}: messages(first: 2) { nodes { conversation { ...F${index + 1} } } } }`,
    );

    const { errors } = await ask(
      NOWHERE,
      `{ conversation(id: "c1") { ...F0 } } ${fragments.join(' ')} fragment F40 on Conversation { isMuted }`,
    );

    expect(errors).toBeDefined();
  });
});

describe('an operation makes no call beyond its cost', () => {
  test('to read to the end of a list, and names the setting that allows more', async () => {
    await using service = await startEmbeddedService();

    const { cost, codes, errors } = await ask(
      service.url,
      `{ messages(conversationId: "${LONG}", last: 5) { nodes { id } } }`,
      { env: { MAX_REST_CALLS: '3' } },
    );

    expect(codes).toEqual(['PAGE_OUT_OF_REACH']);
    expect(errors?.[0]?.message).toContain('MAX_REST_CALLS');
    expect(cost).toEqual({ estimated: 3, actual: 3, limit: 3 });
  });

  test('to follow links that the interface does not promise', async () => {
    const messages = Array.from({ length: 9 }, (_, index) =>
      wireMessage(`m${index}`, { conversation_id: `other${index}` }),
    );
    await using upstream = await startUpstream(({ line }) => ({
      body: line.includes('messages')
        ? wirePage(messages)
        : wireConversation(line.split('/').at(-1) ?? ''),
    }));

    const { cost, codes } = await ask(
      upstream.url,
      '{ conversation(id: "c1") { messages { nodes { conversation { isMuted } } } } }',
    );

    expect(upstream.calls).toHaveLength(2);
    expect(cost).toMatchObject({ estimated: 2, actual: 2 });
    expect(codes).toEqual(['OPERATION_TOO_COSTLY']);
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

  test('are counted before any call, since links back to a list multiply them', async () => {
    await using upstream = await startUpstream({});

    const { status, errors } = await ask(upstream.url, nested(4));

    expect(status).toBe(400);
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'OPERATION_TOO_COSTLY',
      cost: { limit: 250_000 },
    });
    expect(upstream.calls).toEqual([]);
  });

  test('may come from links back, within the limit', async () => {
    await using service = await startEmbeddedService();

    const { errors } = await ask(service.url, nested(2));

    expect(errors).toBeUndefined();
  });

  test('include, of a page without a size, as many as MAX_PAGE_SIZE allows', async () => {
    const env = { MAX_PAGE_SIZE: '5', MAX_REST_CALLS: '4' };

    // Two levels of pages of five are about 100 objects, three are about 600; 200 are allowed.
    const two = await ask(NOWHERE, nested(2, ''), { env });
    const three = await ask(NOWHERE, nested(3, ''), { env });

    expect(two.status).toBe(200);
    expect(three.errors?.[0]?.extensions).toMatchObject({
      code: 'OPERATION_TOO_COSTLY',
      cost: { objects: expect.any(Number), limit: 200 },
    });
  });

  test.each([
    [500, 200, ['BAD_USER_INPUT']],
    [50_000, 400, ['OPERATION_TOO_COSTLY']],
  ])('include those of ids that are junk: %i ids', async (count, expected, refusal) => {
    const { status, codes } = await ask(
      NOWHERE,
      'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }',
      { variables: { ids: Array(count).fill('junk') } },
    );

    expect(status).toBe(expected);
    expect(codes).toEqual(refusal);
  });

  test('do not hide that a page is longer than allowed', async () => {
    const { status, codes } = await ask(
      NOWHERE,
      '{ messages(first: 1000000) { nodes { id } } }',
    );

    expect(status).toBe(200);
    expect(codes).toEqual(['BAD_USER_INPUT']);
  });
});
