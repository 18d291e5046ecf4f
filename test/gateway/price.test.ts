import { describe, expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

interface Cost {
  readonly estimated: number;
  readonly actual: number;
  readonly limit: number;
}

/** Asks for the price along with the answer. */
async function ask(
  gateway: TestGateway,
  query: string,
  variables: Record<string, unknown> = {},
) {
  const { extensions, ...answer } = await gateway.ask(query, {
    token: 'ada-sample-token',
    variables,
    extensions: { cost: true },
  });
  return { ...answer, cost: extensions?.cost as Cost | undefined };
}

const NODE_ID = (text: string) => Buffer.from(text).toString('base64url');
const LONG = 'conv_lisbon_trip';

describe('the price of an operation', () => {
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
      `{ nodes(nodeIds: ["${NODE_ID('Message:m1')}", "${NODE_ID('Conversation:c1')}", "${NODE_ID('Message:m1')}", "junk"]) { ... on Conversation { messages { nodes { id } } } } }`,
      3,
    ],
    ['{ message(id: "m1") { conversation { pinnedMessage { message } } } }', 3],
    ['{ messages(first: 0) { nodes { conversation { isMuted } } } }', 0],
    [
      'mutation { a: deleteMessage(input: { id: "m1" }) { deletedMessageId } b: deleteMessage(input: { id: "m1" }) { deletedMessageId } }',
      2,
    ],
    [
      'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { conversation { isMuted } } } }',
      2,
    ],
  ])('%s is %i', async (query, estimated) => {
    await using upstream = await startUpstream(({ line }) => ({
      body: /^GET .*(messages|conversations)(\?|$)/.test(line)
        ? wirePage(
            line.includes('messages') ? [wireMessage('m1')] : [wireConversation('c1')],
          )
        : line.includes('messages')
          ? wireMessage('m1')
          : wireConversation('c1'),
    }));
    await using gateway = await startTestGateway(upstream.url);

    const { cost } = await ask(gateway, query);

    expect(cost?.estimated).toBe(estimated);
    expect(cost?.actual).toBe(upstream.calls.length);
    expect(upstream.calls.length).toBeLessThanOrEqual(estimated);
  });

  test.each([
    ['m1', 'm1>conversation'],
    ['m1', 'm1">conversation'],
    ['m1","m2', 'm2'],
    ['m1,Message:m2', 'm2'],
  ])('takes no id for another, whatever they hold: %s and %s', async (a, b) => {
    await using upstream = await startUpstream(({ line }) => ({
      body: line.includes('messages') ? wireMessage('m') : wireConversation('c1'),
    }));
    await using gateway = await startTestGateway(upstream.url);

    const { cost, errors } = await ask(
      gateway,
      `query ($a: ID!, $b: ID!, $ids: [ID!]!) {
        a: message(id: $a) { conversation { isMuted } }
        b: message(id: $b) { message }
        nodes(nodeIds: $ids) { ... on Message { message } }
      }`,
      { a, b, ids: [a, b].map((id) => NODE_ID(`Message:${id}`)) },
    );

    expect(errors).toBeUndefined();
    expect(cost).toMatchObject({ estimated: 3, actual: 3 });
  });

  test('of a page of which nobody says the size is that of the page it gets', async () => {
    await using upstream = await startUpstream(({ line }) => ({
      body: wirePage(
        line.includes('messages')
          ? []
          : ['c1', 'c2', 'c3'].map((id) => wireConversation(id)),
      ),
    }));
    await using gateway = await startTestGateway(upstream.url, {
      MAX_PAGE_SIZE: '3',
      MAX_REST_CALLS: '4',
    });

    const { cost, errors } = await ask(
      gateway,
      '{ conversations { nodes { messages { nodes { id } } } } }',
    );

    expect(errors).toBeUndefined();
    expect(cost).toEqual({ estimated: 4, actual: 4, limit: 4 });
  });

  test('of pages above ten holds the second try, and of walks what they may need', async () => {
    await using service = await startEmbeddedService();
    await using gateway = await startTestGateway(service.url);
    const page = (args: string) =>
      ask(
        gateway,
        `{ messages(conversationId: "${LONG}", ${args}) { pageInfo { endCursor } } }`,
      );

    const costs = await Promise.all(['first: 10', 'first: 11', 'last: 5'].map(page));

    expect(costs.map(({ cost }) => [cost?.estimated, cost?.actual])).toEqual([
      [1, 1],
      [20, 1],
      [20, 4],
    ]);
  });

  test('is told only to who asks for it', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');

    expect(await gateway.ask('{ __typename }')).not.toHaveProperty('extensions');
  });
});

describe('an operation above MAX_REST_CALLS', () => {
  test('is refused before any call, with the path that costs most', async () => {
    await using upstream = await startUpstream({});
    await using gateway = await startTestGateway(upstream.url, { MAX_REST_CALLS: '50' });

    const { status, errors, data } = await ask(
      gateway,
      'query ($n: Int!) { conversations(first: $n) { nodes { pinnedMessage { message } messages { nodes { contact { id } } } } } message(id: "m1") { id } }',
      { n: 60 },
    );

    expect(status).toBe(400);
    expect(data).toBeUndefined();
    expect(errors?.[0]?.extensions).toEqual({
      code: 'OPERATION_TOO_COSTLY',
      cost: { estimated: 123, limit: 50 },
    });
    expect(errors?.[0]?.message).toMatch(
      /123 calls.*50.*MAX_REST_CALLS.*conversations\.(pinnedMessage|messages)/,
    );
    expect(upstream.calls).toEqual([]);
  });

  test.each([
    [
      'calls',
      '{ conversations(first: 100) { nodes { messages { nodes { id } } } } }',
      {},
    ],
    [
      'objects',
      '{ a: conversation(id: "c1") { messages(first: 50) { nodes { conversation { messages(first: 50) { nodes { id } } } } } } }',
      {},
    ],
    [
      'ids',
      'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }',
      { ids: Array(5000).fill('x') },
    ],
  ])('has its cost in the error alone: too many %s', async (_what, query, variables) => {
    await using gateway = await startTestGateway('http://127.0.0.1:1', {
      MAX_REST_CALLS: '2',
    });

    const answer = await gateway.ask(query, { variables, extensions: { cost: true } });

    expect(answer.errors?.[0]?.extensions).toMatchObject({
      code: 'OPERATION_TOO_COSTLY',
      cost: { limit: expect.any(Number) },
    });
    expect(answer).not.toHaveProperty('extensions');
  });

  test('is allowed at exactly the limit', async () => {
    await using upstream = await startUpstream({ 'GET /v1/conversations': wirePage([]) });
    await using gateway = await startTestGateway(upstream.url, { MAX_REST_CALLS: '11' });
    const query = (first: number) =>
      `{ conversations(first: ${first}) { nodes { messages { nodes { id } } } } }`;

    expect((await ask(gateway, query(10))).errors).toBeUndefined();
    expect((await ask(gateway, query(11))).errors?.[0]?.extensions.code).toBe(
      'OPERATION_TOO_COSTLY',
    );
  });

  test('may be one of 300 aliases for the same object, which is one call', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
    });
    await using gateway = await startTestGateway(upstream.url);
    const fields = Array.from(
      { length: 300 },
      (_, index) => `f${index}: message(id: "m1") { message }`,
    );

    const { cost, errors } = await ask(gateway, `{ ${fields.join(' ')} }`);

    expect(errors).toBeUndefined();
    expect(cost).toEqual({ estimated: 1, actual: 1, limit: 250 });
  });

  test('is judged in no time, however its fragments are nested', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');
    const fragments = Array.from(
      { length: 40 },
      (_, index) =>
        `fragment F${index} on Conversation { a${index}: messages(first: 1) { nodes { conversation { ...F${index + 1} } } } b${index}: messages(first: 2) { nodes { conversation { ...F${index + 1} } } } }`,
    );

    const { errors } = await ask(
      gateway,
      `{ conversation(id: "c1") { ...F0 } } ${fragments.join(' ')} fragment F40 on Conversation { isMuted }`,
    );

    expect(errors).toBeDefined();
  });
});

test('a walk to the end stops where the budget does, and says what lifts it', async () => {
  await using service = await startEmbeddedService();
  await using gateway = await startTestGateway(service.url, { MAX_REST_CALLS: '3' });

  const { cost, errors } = await ask(
    gateway,
    `{ messages(conversationId: "${LONG}", last: 5) { nodes { id } } }`,
  );

  expect(errors?.[0]?.extensions.code).toBe('PAGE_OUT_OF_REACH');
  expect(errors?.[0]?.message).toContain('MAX_REST_CALLS');
  expect(cost).toEqual({ estimated: 3, actual: 3, limit: 3 });
});

test('a service that leads further than its interface says is not followed beyond the price', async () => {
  const messages = Array.from({ length: 9 }, (_, index) =>
    wireMessage(`m${index}`, { conversation_id: `other${index}` }),
  );
  await using upstream = await startUpstream(({ line }) => ({
    body: line.includes('messages')
      ? wirePage(messages)
      : wireConversation(line.split('/').at(-1) ?? ''),
  }));
  await using gateway = await startTestGateway(upstream.url);

  const { cost, errors } = await ask(
    gateway,
    '{ conversation(id: "c1") { messages { nodes { conversation { isMuted } } } } }',
  );

  expect(upstream.calls).toHaveLength(2);
  expect(cost).toMatchObject({ estimated: 2, actual: 2 });
  expect(new Set(errors?.map(({ extensions }) => extensions.code))).toEqual(
    new Set(['OPERATION_TOO_COSTLY']),
  );
});

describe('links back to what is here cost no call, but', () => {
  const back = (depth: number): string =>
    depth === 0
      ? 'isPinned'
      : `messages(first: 60) { nodes { conversation { ${back(depth - 1)} } } }`;

  test('an answer that they would fill without end is refused before any call', async () => {
    await using upstream = await startUpstream({});
    await using gateway = await startTestGateway(upstream.url);

    const refused = await ask(gateway, `{ conversation(id: "c1") { ${back(4)} } }`);

    expect(refused.status).toBe(400);
    expect(refused.errors?.[0]?.extensions).toMatchObject({
      code: 'OPERATION_TOO_COSTLY',
      cost: { limit: 250_000 },
    });
    expect(upstream.calls).toEqual([]);
  });

  test('of a page of which nobody says the size, as many count as it gets', async () => {
    const pages = (depth: number): string =>
      depth === 0
        ? 'isPinned'
        : `messages { nodes { conversation { ${pages(depth - 1)} } } }`;
    await using gateway = await startTestGateway('http://127.0.0.1:1', {
      MAX_PAGE_SIZE: '5',
      MAX_REST_CALLS: '4',
    });

    // Of 200 that are allowed two levels of pages of five are about 100, three are about 600.
    const two = await ask(gateway, `{ conversation(id: "c1") { ${pages(2)} } }`);
    const three = await ask(gateway, `{ conversation(id: "c1") { ${pages(3)} } }`);

    expect(two.status).toBe(200);
    expect(three.errors?.[0]?.extensions).toMatchObject({
      code: 'OPERATION_TOO_COSTLY',
      cost: { objects: expect.any(Number), limit: 200 },
    });
  });

  test('one level of them is served', async () => {
    await using service = await startEmbeddedService();
    await using gateway = await startTestGateway(service.url);

    const { errors } = await ask(
      gateway,
      `{ conversation(id: "${LONG}") { ${back(2)} } }`,
    );

    expect(errors).toBeUndefined();
  });

  test('ids without end are refused, junk as they may be, and some hundred are not', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');
    const nodes = (count: number) =>
      ask(gateway, 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }', {
        ids: Array(count).fill('junk'),
      });

    expect((await nodes(50_000)).errors?.[0]?.extensions.code).toBe(
      'OPERATION_TOO_COSTLY',
    );
    expect((await nodes(500)).status).toBe(200);
  });

  test('a page that is asked to be too long is refused as such', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');

    const { status, errors } = await ask(
      gateway,
      '{ messages(first: 1000000) { nodes { id } } }',
    );

    expect([status, errors?.[0]?.extensions.code]).toEqual([200, 'BAD_USER_INPUT']);
  });
});

test('what is not called is not spent: without a token, or refused', async () => {
  await using upstream = await startUpstream({
    'PUT /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);
  const options = { extensions: { cost: true } };

  const anonymous = await gateway.ask(
    '{ a: message(id: "m1") { message } b: message(id: "m2") { message } }',
    { ...options, token: null },
  );
  const refused = await gateway.ask(
    `mutation {
      a: updateMessage(input: { id: "m1", message: "x" }) { message { id } }
      b: updateMessage(input: { id: "m1" }) { message { id } }
    }`,
    options,
  );

  expect(anonymous.extensions.cost).toMatchObject({ estimated: 2, actual: 0 });
  expect(refused.extensions.cost).toMatchObject({ estimated: 2, actual: 1 });
  expect(upstream.calls).toHaveLength(1);
});
