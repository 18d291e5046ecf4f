import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { isBug, toClientError } from '../../src/operation/errors.ts';
import { run, toAddress } from '../support/command.ts';
import { type GraphqlAnswer, startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

/** What graphql makes of an error that a resolver threw. */
const thrown = (originalError: Error) =>
  new GraphQLError(originalError.message, { path: ['message'], originalError });

test('a bug of ours is masked', () => {
  const bug = thrown(new TypeError('x is not a function at secret.ts'));

  const formatted = toClientError(bug);

  expect(isBug(bug)).toBe(true);
  expect(formatted).toEqual({
    message: 'Internal server error',
    locations: undefined,
    path: ['message'],
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  });
});

test('a long text of backslashes in an error holds up nobody', async () => {
  await using gateway = await startTestGateway('http://127.0.0.1:1');

  const { errors } = await gateway.ask(
    'query ($n: Int) { messages(first: $n) { nodes { id } } }',
    {
      variables: { n: '\\'.repeat(300_000) },
    },
  );

  expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
});

test("GraphQL's own errors are no bugs", () => {
  const error = new GraphQLError('Syntax Error', {
    extensions: { code: 'GRAPHQL_PARSE_FAILED' },
  });

  expect(isBug(error)).toBe(false);
  expect(toClientError(error)).toEqual(error.toJSON());
});

test('no error tells the token, not even one the caller wrote into the operation', async () => {
  await using upstream = await startUpstream({});
  await using gateway = await startTestGateway(upstream.url);
  const token = 'se/cret-"token"';

  const answers = await Promise.all([
    gateway.ask('query ($n: Int) { messages(first: $n) { nodes { id } } }', {
      token,
      variables: { n: token },
    }),
    gateway.ask(`{ messages(after: ${JSON.stringify(token)}) { nodes { id } } }`, {
      token,
    }),
    gateway.ask(
      `mutation { deleteMessage(input: { id: ${JSON.stringify(token)} }) { deletedMessageId } }`,
      { token },
    ),
    gateway.ask(`{ message(id: 1.5e${token}) { id } }`, { token }),
    gateway.ask('query ($n: Int) { messages(first: $n) { nodes { id } } }', {
      token: null,
      headers: { authorization: `Token ${token}` },
      variables: { n: token },
    }),
  ]);

  for (const { errors } of answers) {
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toMatch(/se\/?cret/);
  }
});

/** Loaded before the gateway: breaks what its resolvers make a nodeId with. */
const BREAK_NODE_IDS = `data:text/javascript,${encodeURIComponent(`
  const { toString } = Buffer.prototype;
  Buffer.prototype.toString = function (encoding, ...rest) {
    if (encoding === 'base64url') throw new TypeError('broken for s3cret');
    return toString.call(this, encoding, ...rest);
  };
`)}`;

test('a bug is masked on the wire, and logged with the request id and without the token', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = run(['--import', BREAK_NODE_IDS, 'bin/messaging-graphql.js'], {
    MESSAGING_URL: upstream.url,
    LOG_LEVEL: 'warn',
  });
  const url = toAddress(await gateway.first());

  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer s3cret',
      'x-request-id': 'r-1',
    },
    body: JSON.stringify({ query: '{ message(id: "m1") { id nodeId } }' }),
  });
  const { errors } = (await response.json()) as GraphqlAnswer;
  await expect.poll(() => gateway.lines.length).toBe(2);

  expect(response.status).toBe(200);
  expect(errors?.map(({ message, extensions }) => ({ message, extensions }))).toEqual([
    { message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
  ]);
  const [, line = ''] = gateway.lines;
  expect(JSON.parse(line)).toMatchObject({
    level: 50,
    requestId: 'r-1',
    error: { name: 'TypeError', message: 'broken for [redacted]' },
  });
  expect(line).toContain('node-id');
  expect(line).not.toContain('s3cret');
});

test('a call that fails through the service is logged once, with its cause', async () => {
  await using gateway = run(['bin/messaging-graphql.js'], {
    MESSAGING_URL: 'http://127.0.0.1:1',
    REST_RETRIES: '0',
    LOG_LEVEL: 'warn',
  });
  const url = toAddress(await gateway.first());

  await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer s3cret' },
    body: JSON.stringify({
      query: '{ a: message(id: "m1") { id } b: message(id: "m1") { id } }',
    }),
  });
  await expect.poll(() => gateway.lines.length).toBe(2);

  expect(JSON.parse(gateway.lines[1] ?? '')).toMatchObject({
    level: 40,
    method: 'GET',
    route: '/v1/messages/:id',
    kind: 'unreachable',
    cause: 'ECONNREFUSED',
    outcomeUnknown: false,
  });
});

test('no line tells a token that the service sends as the name of a reaction', async () => {
  const token = 's3cret/"token"';
  await using upstream = await startUpstream({
    'GET /v1/messages/plain': wireMessage('plain', { reactions: [{ [token]: 'x' }] }),
    'GET /v1/messages/percent': wireMessage('percent', {
      reactions: [{ [encodeURIComponent(token)]: 'x' }],
    }),
    'GET /v1/messages': wirePage([wireMessage('m1', { reactions: [{ [token]: [1] }] })]),
  });
  await using gateway = run(['bin/messaging-graphql.js'], {
    MESSAGING_URL: upstream.url,
    LOG_LEVEL: 'trace',
  });
  const url = toAddress(await gateway.first());

  await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      query:
        '{ a: message(id: "plain") { id } b: message(id: "percent") { id } messages { nodes { id } } }',
    }),
  });
  await expect
    .poll(() => gateway.lines.filter((line) => line.includes('"level":40')).length)
    .toBe(3);

  for (const line of gateway.lines) expect(line).not.toMatch(/s3cret/);
});
