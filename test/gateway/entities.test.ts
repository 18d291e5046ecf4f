import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  type AskOptions,
  askOnce,
  codes,
  startScripted,
  startTestGateway,
} from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { answering, type Script } from '../support/upstream.ts';
import { nodeIdOf, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const QUERY = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on Message { id message }
    ... on Conversation { id contactId }
  }
}`;
const SERVICE = {
  'GET /v1/messages/m1': wireMessage('m1'),
  'GET /v1/messages/m2': wireMessage('m2'),
  'GET /v1/conversations/c1': wireConversation('c1', { group_id: 'g1' }),
  'GET /v1/conversations/c2': wireConversation('c2'),
};

const represent = (name: string, id: unknown) => ({ __typename: name, id });
const message = (id: string) => represent('Message', id);
const conversation = (id: string) => represent('Conversation', id);

interface Asked extends AskOptions {
  readonly query?: string;
  readonly script?: Script;
  readonly env?: Record<string, string>;
}

/** Asks for entities as a federation gateway does. */
async function askFor(
  representations: readonly unknown[],
  { query = QUERY, script = SERVICE, env = {}, ...options }: Asked = {},
) {
  const answer = await askOnce(query, script, {
    variables: { representations },
    env: { REST_RETRIES: '0', ...env },
    ...options,
  });
  return { ...answer, lines: answer.lines.toSorted() };
}

describe('entities', () => {
  test('keep the order of their representations, with one call for each id', async () => {
    const { data, errors, lines } = await askFor([
      ...[message('m1'), conversation('c1'), message('gone'), message('m2')],
      message('m1'),
    ]);

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

  test('are fetched together', async () => {
    await using gateway = await startScripted(({ line }) => ({
      body: wireMessage(line.slice('GET /v1/messages/'.length)),
      together: 20,
    }));
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);

    const { data } = await gateway.ask(QUERY, {
      variables: { representations: ids.map(message) },
    });

    expect(data._entities.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(gateway.service.mostAtOnce).toBe(20);
  });

  test('that fail are null alone, with an error at their place', async () => {
    const { data, codes } = await askFor(
      [message('m1'), message('broken'), message('..'), message('m2')],
      { script: { ...SERVICE, 'GET /v1/messages/broken': answering({ status: 500 }) } },
    );

    expect(data._entities).toMatchObject([{ id: 'm1' }, null, null, { id: 'm2' }]);
    expect(codes).toEqual({
      '_entities.1': 'UPSTREAM_ERROR',
      '_entities.2': 'BAD_USER_INPUT',
    });
  });

  test('are errors, without a call, where a representation names no message and no conversation', async () => {
    const junk = [
      represent('Contact', 'u1'),
      represent('Query', 'x'),
      represent('toString', 'x'),
      { id: 'm1' },
      { __typename: 'Message' },
      represent('Message', null),
      represent('Message', { id: 'm1' }),
      represent('Message', 2 ** 60),
      'Message:m1',
      1,
      ['Message', 'm1'],
    ];

    const { data, codes, lines } = await askFor([...junk, message('m1')]);

    expect(data._entities).toMatchObject([...junk.map(() => null), { id: 'm1' }]);
    expect(Object.values(codes)).toEqual(junk.map(() => 'BAD_USER_INPUT'));
    expect(lines).toEqual(['GET /v1/messages/m1']);
  });

  test('may be named by a number, as some servers write it', async () => {
    const { data, lines } = await askFor([represent('Message', 7), message('7')], {
      script: { 'GET /v1/messages/7': wireMessage('7') },
    });

    expect(data._entities).toMatchObject([{ id: '7' }, { id: '7' }]);
    expect(lines).toEqual(['GET /v1/messages/7']);
  });

  test('may be represented in the document, and fragments may name the union', async () => {
    const query = `query ($id: String) {
      _entities(representations: [{ __typename: "Message", id: $id }, { __typename: "Conversation", id: "c1" }]) {
        ... on _Entity { kind: __typename ... on Node { nodeId } ... on Conversation { isMuted } }
      }
    }`;

    const { data, errors } = await askFor([], { query, variables: { id: 'm1' } });

    expect(errors).toBeUndefined();
    expect(data._entities).toEqual([
      { kind: 'Message', nodeId: nodeIdOf('Message', 'm1') },
      { kind: 'Conversation', nodeId: nodeIdOf('Conversation', 'c1'), isMuted: false },
    ]);
  });

  // security: entity-of-another
  test('are for each caller what its token shows', async () => {
    await using gateway = await startScripted(({ token }) =>
      token === 'Bearer ann' ? { body: wireMessage('m1') } : { status: 404 },
    );
    const variables = { representations: [message('m1')] };

    const [ann, bob, nobody] = await Promise.all(
      ['ann', 'bob', null].map((token) => gateway.ask(QUERY, { token, variables })),
    );

    expect(ann?.data._entities).toMatchObject([{ id: 'm1' }]);
    expect(bob?.data._entities).toEqual([null]);
    expect(nobody && codes(nobody)).toEqual({ '_entities.0': 'UNAUTHENTICATED' });
    expect(gateway.service.calls).toHaveLength(2);
  });

  test('that link to a group need no call for it', async () => {
    const { data, errors, lines } = await askFor(
      [conversation('c1'), conversation('c2')],
      { query: QUERY.replace('id contactId', 'group { __typename id }') },
    );

    expect(errors).toBeUndefined();
    expect(data._entities).toMatchObject([
      { group: { __typename: 'Group', id: 'g1' } },
      { group: null },
    ]);
    expect(lines).toEqual(['GET /v1/conversations/c1', 'GET /v1/conversations/c2']);
  });
});

describe('the price of entities', () => {
  // security: many-representations
  test.each([
    [
      'the ids of the variables, each once, and none that is junk',
      '... on Message { message } ... on Conversation { isMuted }',
      [message('a'), message('a'), conversation('a'), represent('Contact', 'u1'), 'junk'],
      2,
    ],
    [
      'an entity that is fetched in another way too only once',
      '... on Message { message } } message(id: "a") { message',
      [message('a')],
      1,
    ],
    [
      'what is selected below each',
      '... on Message { conversation { isMuted } } ... on Conversation { messages { nodes { id } } group { id } }',
      [message('a'), message('b'), conversation('c')],
      6,
    ],
  ])('counts %s', async (_, selection, representations, calls) => {
    const { extensions } = await askFor(representations, {
      script: answering({ body: wirePage([]) }),
      query: `query ($representations: [_Any!]!) {
        _entities(representations: $representations) { ${selection} }
      }`,
      extensions: { cost: true },
    });

    expect(extensions.cost.estimated).toBe(calls);
  });
});

// test/schema.test.ts compares the schema that clients read with schema.graphql.
test('clients find no types of federation by introspection', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const { data } = await gateway.ask(
    `{ entity: __type(name: "_Entity") { name } any: __type(name: "_Any") { name }
       service: __type(name: "_Service") { name } }`,
  );

  expect(data).toEqual({ entity: null, any: null, service: null });
});

describe('the schema for composers', () => {
  const SDL = '{ _service { sdl } }';

  test('needs no token, and has the keys of every entity, but no Node, which other subgraphs may have', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const { data, errors } = await gateway.ask(SDL, { token: null });

    const { sdl } = data._service;
    expect(errors).toBeUndefined();
    expect(() => parse(sdl)).not.toThrow();
    for (const line of [
      'type Message @key(fields: "id") {',
      'type Conversation @key(fields: "id") {',
      'type Contact @key(fields: "id", resolvable: false) {',
      'type PageInfo @shareable {',
      'nodeId: ID!',
    ])
      expect(sdl).toContain(line);
    expect(sdl).not.toMatch(/\bNode\b|\bnodes?\(/);
  });

  // security: repeated-introspection
  test('is hidden by INTROSPECTION=false; entities are not', async () => {
    await using gateway = await startTestGateway(NOWHERE, { INTROSPECTION: 'false' });

    const service = await gateway.ask(SDL);
    const entities = await gateway.ask(
      '{ _entities(representations: []) { __typename } }',
    );

    expect(service.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(JSON.stringify(service)).not.toContain('Message');
    expect(entities.data).toEqual({ _entities: [] });
  });
});
