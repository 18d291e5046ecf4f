import { ApolloServer } from '@apollo/server';
import { afterEach, expect, test, vi } from 'vitest';
import { startScripted } from '../support/gateway.ts';
import { post } from '../support/http.ts';
import { named, sha256 } from '../support/persisted.ts';
import { wireMessage } from '../support/wire.ts';

const apollo = vi.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
afterEach(() => apollo.mockClear());

const READ =
  'query Read($id: ID!, $full: Boolean = true) { message(id: $id) { id message @include(if: $full) } }';
const { persistedQuery } = named(sha256(READ));

interface Sent {
  readonly body: object;
  readonly headers?: Record<string, string>;
}

/** What one gateway answers to each request, and how often it asked Apollo. The service knows m1. */
async function sendAll(requests: readonly Sent[], env: Record<string, string> = {}) {
  const script = {
    'GET /v1/messages/m1': wireMessage('m1'),
    'PUT /v1/messages/m1': wireMessage('m1'),
  };
  await using gateway = await startScripted(script, env);
  const answers = [];
  for (const { body, headers } of requests) {
    const response = await post(gateway.url, body, {
      authorization: 'Bearer t',
      'x-request-id': 'r1',
      ...headers,
    });
    const { date, ...rest } = Object.fromEntries(response.headers);
    expect(date).toBeDefined();
    answers.push({ status: response.status, headers: rest, text: await response.text() });
  }
  return { answers, asked: apollo.mock.calls.length };
}

const three = (sent: Sent): Sent[] => [sent, sent, sent];

test.each<[string, Sent]>([
  [
    'one operation of several, and null for what may be missing',
    {
      body: {
        query: `${READ} query Other { __typename }`,
        operationName: 'Read',
        variables: { id: 'm1', full: false },
        extensions: null,
      },
    },
  ],
  [
    'a mutation, without variables, and with extensions',
    {
      body: {
        query:
          'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }',
        extensions: { cost: true },
      },
    },
  ],
  [
    'a wrong variable, for a client that reads plain JSON',
    {
      body: { query: READ, variables: { id: null } },
      headers: { accept: 'application/json' },
    },
  ],
  [
    'an id without a prototype',
    {
      body: JSON.parse(
        '{"query":"query Read($id: ID!) { message(id: $id) { __proto__: id } }","variables":{"id":"m1","__proto__":{"id":"m1"}}}',
      ),
    },
  ],
  [
    'an explanation',
    { body: { query: '{ message(id: "m1") { id } }', extensions: { explain: true } } },
  ],
  [
    'a persisted operation',
    { body: { extensions: { persistedQuery }, variables: { id: 'm1' } } },
  ],
])('%s: the third answer is the first one, without Apollo', async (_, sent) => {
  const register = {
    body: { query: READ, variables: { id: 'm1' }, extensions: { persistedQuery } },
  };

  const { answers, asked } = await sendAll([register, ...three(sent)]);

  expect(answers[3]).toEqual(answers[1]);
  expect(asked).toBe(3);
});

const DEEP = `{ conversation(id: "c1") { messages(first: 100) { nodes { conversation { messages(first: 100) { nodes { conversation { messages(first: 100) { nodes { id } } } } } } } } } }`;

test.each<[string, Sent]>([
  ['an operation that is too costly', { body: { query: DEEP } }],
  [
    'no Accept header that fits',
    { body: { query: READ, variables: { id: 'm1' } }, headers: { accept: 'text/html' } },
  ],
  ['a name that no operation has', { body: { query: READ, operationName: 'Other' } }],
  ['variables that are a list', { body: { query: READ, variables: [] } }],
  [
    'a text with a hash',
    { body: { query: READ, variables: { id: 'm1' }, extensions: { persistedQuery } } },
  ],
])('%s: every answer is the same', async (_, sent) => {
  const { answers } = await sendAll(three(sent), { MAX_REST_CALLS: '100' });

  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
});

const TYPENAME = '{ __typename }';
const byHash = (text: string) => ({ extensions: named(sha256(text)) });
/** The name of the first is the beginning of the second one's text, and both together are the same lines. */
const NAMED = 'query Read\n{ __typename }';

test.each<[string, object, object]>([
  [
    'without a name, an operation with an empty one',
    { query: TYPENAME },
    { query: TYPENAME, operationName: '' },
  ],
  [
    'by its hash, a text that looks like the hash',
    byHash(TYPENAME),
    { query: `persisted ${sha256(TYPENAME)}` },
  ],
  [
    'by its name, one whose name has a line of its text',
    { query: NAMED, operationName: 'Read' },
    { query: '{ __typename }', operationName: 'Read\nquery Read' },
  ],
])(
  'to send an operation %s, is answered the same before and after',
  async (_, others, own) => {
    const register = { query: TYPENAME, ...byHash(TYPENAME) };
    const sent = [own, register, others, others, others, own].map((body) => ({ body }));

    const { answers } = await sendAll(sent);

    expect(JSON.parse(answers[4]?.text ?? '')).toEqual({ data: { __typename: 'Query' } });
    expect(answers[0]?.status).toBe(400);
    expect(answers[5]).toEqual(answers[0]);
  },
);

test('a GET is read by Apollo each time', async () => {
  await using gateway = await startScripted();
  const url = `${gateway.url}/graphql?query={message(id:"m1"){id}}`;
  const headers = { authorization: 'Bearer t', 'apollo-require-preflight': '1' };

  for (let count = 0; count < 4; count += 1) {
    expect(await (await fetch(url, { headers })).json()).toEqual({
      data: { message: { id: 'm1' } },
    });
  }

  expect(apollo).toHaveBeenCalledTimes(4);
});
