import { describe, expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { type AskOptions, codes, startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const QUERY = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on Message { id message }
    ... on Conversation { id contactId }
  }
}`;

const represent = (name: string, id: unknown) => ({ __typename: name, id });
const message = (id: string) => represent('Message', id);
const conversation = (id: string) => represent('Conversation', id);

/** Asks for entities as a federation gateway does; `lines` are the calls. */
async function askFor(
  representations: readonly unknown[],
  responses: Parameters<typeof startUpstream>[0] = {},
  { query = QUERY, env = {}, ...options }: AskOptions & Asked = {},
) {
  await using upstream = await startUpstream(responses);
  await using gateway = await startTestGateway(upstream.url, {
    REST_RETRIES: '0',
    ...env,
  });
  const answer = await gateway.ask(query, {
    variables: { representations },
    ...options,
  });
  return { ...answer, lines: upstream.lines().toSorted() };
}

interface Asked {
  readonly query?: string;
  readonly env?: Record<string, string>;
}

test('entities keep the order of their representations, with one call for each id', async () => {
  const { data, errors, lines } = await askFor(
    [message('m1'), conversation('c1'), message('gone'), message('m2'), message('m1')],
    {
      'GET /v1/messages/m1': wireMessage('m1'),
      'GET /v1/messages/m2': wireMessage('m2'),
      'GET /v1/conversations/c1': wireConversation('c1'),
    },
  );

  const first = { __typename: 'Message', id: 'm1', message: 'text m1' };
  expect(errors).toBeUndefined();
  expect(data._entities).toEqual([
    first,
    { __typename: 'Conversation', id: 'c1', contactId: 'u2' },
    null,
    { __typename: 'Message', id: 'm2', message: 'text m2' },
    first,
  ]);
  expect(lines).toEqual([
    'GET /v1/conversations/c1',
    'GET /v1/messages/gone',
    'GET /v1/messages/m1',
    'GET /v1/messages/m2',
  ]);
});

test('entities are fetched together', async () => {
  await using upstream = await startUpstream(({ line }) => ({
    body: wireMessage(line.slice('GET /v1/messages/'.length)),
    delayMs: 100,
  }));
  await using gateway = await startTestGateway(upstream.url);
  const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);

  const { data } = await gateway.ask(QUERY, {
    variables: { representations: ids.map(message) },
  });

  expect(data._entities.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(upstream.mostAtOnce).toBe(20);
});

test('an entity that fails is null alone, with an error at its place', async () => {
  const answer = await askFor(
    [message('m1'), message('broken'), message('..'), message('m2')],
    {
      'GET /v1/messages/m1': wireMessage('m1'),
      'GET /v1/messages/m2': wireMessage('m2'),
      'GET /v1/messages/broken': answering({ status: 500 }),
    },
  );

  expect(answer.data._entities.map((one: { id: string } | null) => one?.id)).toEqual([
    'm1',
    undefined,
    undefined,
    'm2',
  ]);
  expect(codes(answer)).toEqual({
    '_entities.1': 'UPSTREAM_ERROR',
    '_entities.2': 'BAD_USER_INPUT',
  });
});

test.each([
  ['a type that cannot be fetched', represent('Contact', 'u1')],
  ['a group', represent('Group', 'g1')],
  ['a type that is no entity', represent('Query', 'x')],
  ['a name that every object inherits', represent('toString', 'x')],
  ['no type', { id: 'm1' }],
  ['no id', { __typename: 'Message' }],
  ['an id that is null', represent('Message', null)],
  ['an id that is an object', represent('Message', { id: 'm1' })],
  ['an id that is a number with lost digits', represent('Message', 2 ** 60)],
  ['text', 'Message:m1'],
  ['a number', 1],
  ['a list', ['Message', 'm1']],
])(
  'a representation that names no message and no conversation is an error, without a call: %s',
  async (_what, junk) => {
    const answer = await askFor([junk, message('m1')], {
      'GET /v1/messages/m1': wireMessage('m1'),
    });

    expect(answer.data._entities).toMatchObject([null, { id: 'm1' }]);
    expect(codes(answer)).toEqual({ '_entities.0': 'BAD_USER_INPUT' });
    expect(answer.lines).toEqual(['GET /v1/messages/m1']);
  },
);

test('an id may be a number, as some servers write it', async () => {
  const { data, lines } = await askFor([represent('Message', 7), message('7')], {
    'GET /v1/messages/7': wireMessage('7'),
  });

  expect(data._entities).toMatchObject([{ id: '7' }, { id: '7' }]);
  expect(lines).toEqual(['GET /v1/messages/7']);
});

test('representations may stand in the document, and fragments may name the union', async () => {
  const query = `query ($id: String) {
    _entities(representations: [{ __typename: "Message", id: $id }, { __typename: "Conversation", id: "c1" }]) {
      ... on _Entity { kind: __typename ... on Node { nodeId } ... on Conversation { isMuted } }
    }
  }`;

  const { data, errors } = await askFor(
    [],
    {
      'GET /v1/messages/m1': wireMessage('m1'),
      'GET /v1/conversations/c1': wireConversation('c1'),
    },
    { query, variables: { id: 'm1' } },
  );

  expect(errors).toBeUndefined();
  expect(data._entities).toEqual([
    { kind: 'Message', nodeId: Buffer.from('Message:m1').toString('base64url') },
    {
      kind: 'Conversation',
      nodeId: Buffer.from('Conversation:c1').toString('base64url'),
      isMuted: false,
    },
  ]);
});

test('the same operation, sent again and again, is answered alike', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
    'GET /v1/conversations/c1': wireConversation('c1'),
  });
  await using gateway = await startTestGateway(upstream.url);
  const variables = { representations: [message('m1'), conversation('c1'), 'junk'] };

  const answers = [];
  for (let time = 0; time < 4; time += 1) {
    const { data, errors } = await gateway.ask(QUERY, { variables });
    answers.push({ data, errors });
  }

  expect(answers[0]?.data._entities).toMatchObject([{ id: 'm1' }, { id: 'c1' }, null]);
  expect(answers).toEqual(Array(4).fill(answers[0]));
});

test('two callers see only what their tokens show', async () => {
  await using upstream = await startUpstream(({ token }) =>
    token === 'Bearer ann-token' ? { body: wireMessage('m1') } : { status: 404 },
  );
  await using gateway = await startTestGateway(upstream.url);
  const variables = { representations: [message('m1')] };

  const [ann, bob] = await Promise.all(
    ['ann-token', 'bob-token'].map((token) => gateway.ask(QUERY, { token, variables })),
  );
  const nobody = await gateway.ask(QUERY, { token: null, variables });

  expect(ann?.data._entities).toMatchObject([{ id: 'm1' }]);
  expect(bob?.data._entities).toEqual([null]);
  expect(codes(nobody)).toEqual({ '_entities.0': 'UNAUTHENTICATED' });
  expect(upstream.calls).toHaveLength(2);
});

test('entities are what nodes finds under the same ids, at the same price', async () => {
  await using service = await startEmbeddedService();
  await using gateway = await startTestGateway(service.url);
  const token = 'ada-sample-token';
  const { data: sample } = await gateway.ask(
    '{ messages(first: 20) { nodes { id conversationId } } }',
    { token },
  );
  const keys = sample.messages.nodes.flatMap(
    ({ id, conversationId }: { id: string; conversationId: string }) => [
      ['Message', id],
      ['Conversation', conversationId],
      ['Conversation', id],
      ['Message', ''],
    ],
  ) as [string, string][];
  const selected = `
    __typename
    ... on Message { message reactions { name usernames } conversation { isMuted group { id } } }
    ... on Conversation { id messages(first: 2) { nodes { message } } }`;
  const send = (field: string, type: string, them: readonly unknown[]) =>
    gateway.ask(`query ($them: ${type}) { found: ${field} { ${selected} } }`, {
      token,
      variables: { them },
      extensions: { cost: true },
    });

  const entities = await send(
    '_entities(representations: $them)',
    '[_Any!]!',
    keys.map(([name, id]) => represent(name, id)),
  );
  const nodes = await send(
    'nodes(nodeIds: $them)',
    '[ID!]!',
    keys.map(([name, id]) => Buffer.from(`${name}:${id}`).toString('base64url')),
  );

  expect(entities.data.found).toHaveLength(80);
  expect(entities.data).toEqual(nodes.data);
  expect(Object.keys(codes(entities))).toHaveLength(20);
  expect(codes(entities)).toEqual(codes(nodes));
  expect(entities.extensions.cost).toEqual(nodes.extensions.cost);
});

describe('the price of entities', () => {
  const estimate = async (representations: readonly unknown[], query = QUERY) => {
    const responses = () => ({ body: wirePage([]) });
    const { extensions } = await askFor(representations, responses, {
      query,
      extensions: { cost: true },
    });
    return extensions.cost.estimated;
  };

  test('counts the ids of the variables, each once, and none that is junk', async () => {
    expect(
      await estimate([
        message('a'),
        message('b'),
        message('a'),
        conversation('a'),
        represent('Contact', 'u1'),
        'junk',
      ]),
    ).toBe(3);
  });

  test('counts an entity that is fetched in another way too only once', async () => {
    const query = `query ($representations: [_Any!]!) {
      _entities(representations: $representations) { ... on Message { message } }
      message(id: "a") { message }
    }`;

    expect(await estimate([message('a')], query)).toBe(1);
  });

  test('counts what is selected below each', async () => {
    const query = `query ($representations: [_Any!]!) {
      _entities(representations: $representations) {
        ... on Message { conversation { isMuted } }
        ... on Conversation { messages { nodes { id } } group { id } }
      }
    }`;

    expect(await estimate([message('a'), message('b'), conversation('c')], query)).toBe(
      6,
    );
  });

  test('above MAX_REST_CALLS, the operation is refused before its first call', async () => {
    const ids = Array.from({ length: 11 }, (_, index) => message(`m${index}`));

    const { status, errors, lines } = await askFor(
      [...ids, ...ids],
      {},
      {
        env: { MAX_REST_CALLS: '10' },
        headers: { accept: 'application/graphql-response+json' },
      },
    );

    expect(status).toBe(400);
    expect(errors?.[0]?.extensions).toEqual({
      code: 'OPERATION_TOO_COSTLY',
      cost: { estimated: 11, limit: 10 },
    });
    expect(errors?.[0]?.message).toContain('`_entities`');
    expect(lines).toEqual([]);
  });
});

test('a link to a group makes no call', async () => {
  const query = `query ($representations: [_Any!]!) {
    _entities(representations: $representations) {
      ... on Conversation { group { __typename id } }
    }
  }`;

  const { data, errors, lines } = await askFor(
    [conversation('c1'), conversation('c2')],
    {
      'GET /v1/conversations/c1': wireConversation('c1', { group_id: 'g1' }),
      'GET /v1/conversations/c2': wireConversation('c2'),
    },
    { query },
  );

  expect(errors).toBeUndefined();
  expect(data._entities).toEqual([
    { group: { __typename: 'Group', id: 'g1' } },
    { group: null },
  ]);
  expect(lines).toEqual(['GET /v1/conversations/c1', 'GET /v1/conversations/c2']);
});
