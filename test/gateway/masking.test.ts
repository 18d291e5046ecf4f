import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { isBug, toClientError } from '../../src/operation/errors.ts';
import { askOnce } from '../support/ask-once.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const READ = '{ message(id: "m1") { id } }';
const FIRST = 'query ($n: Int) { messages(first: $n) { nodes { id } } }';

const toHex = (char: string): string => char.charCodeAt(0).toString(16);

test('a bug of the gateway is masked', () => {
  const originalError = new TypeError('x is not a function at secret.ts');
  const bug = new GraphQLError(originalError.message, {
    path: ['message'],
    originalError,
  });

  expect(isBug(bug)).toBe(true);
  expect(toClientError(bug)).toEqual({
    message: 'Internal server error',
    locations: undefined,
    path: ['message'],
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  });
});

test('an error of GraphQL itself is shown', () => {
  const error = new GraphQLError('Syntax Error', {
    extensions: { code: 'GRAPHQL_PARSE_FAILED' },
  });

  expect(isBug(error)).toBe(false);
  expect(toClientError(error)).toEqual(error.toJSON());
});

test('a long text of backslashes in an error does not block the gateway', async () => {
  await using gateway = await startTestGateway('http://127.0.0.1:1');

  const { errors } = await gateway.ask(FIRST, {
    variables: { n: '\\'.repeat(300_000) },
  });

  expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
});

test('no error contains the token, even if the operation does', async () => {
  await using upstream = await startUpstream({});
  await using gateway = await startTestGateway(upstream.url);
  const token = 'se/cret-"token"';
  const quoted = JSON.stringify(token);

  const answers = await Promise.all([
    gateway.ask(FIRST, { token, variables: { n: token } }),
    gateway.ask(`{ messages(after: ${quoted}) { nodes { id } } }`, { token }),
    gateway.ask(
      `mutation { deleteMessage(input: { id: ${quoted} }) { deletedMessageId } }`,
      { token },
    ),
    gateway.ask(`{ message(id: 1.5e${token}) { id } }`, { token }),
    gateway.ask(FIRST, {
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

test.each<[string, (token: string) => string]>([
  ['as it is', (token) => token],
  ['in JSON', (token) => JSON.stringify({ seen: `Bearer ${token}` })],
  ['in JSON in JSON', (token) => JSON.stringify(JSON.stringify({ token }))],
  ['percent-encoded', encodeURIComponent],
  [
    'percent-encoded in lower case',
    (token) => encodeURIComponent(token).replace(/%../g, (hex) => hex.toLowerCase()),
  ],
  ['percent-encoded twice', (token) => encodeURIComponent(encodeURIComponent(token))],
  ['wholly percent-encoded', (token) => token.replace(/./g, (c) => `%${toHex(c)}`)],
  ['as \\u escapes', (token) => token.replace(/./g, (c) => `\\u00${toHex(c)}`)],
  ['with escaped slashes', (token) => JSON.stringify(token).replaceAll('/', '\\/')],
  ['across the cut at 4 KiB', (token) => 'x'.repeat(4090) + token],
])(
  'no error contains the token, even if the service sends it %s',
  async (_how, write) => {
    const token = 'abc/DEF"ghi\\jkl+%41=';

    const { error } = await askOnce(READ, { status: 400, body: write(token) }, { token });

    const text = JSON.stringify(error);
    expect(text).toContain('[re');
    expect(text).not.toMatch(/abc|def|ghi|jkl/i);
  },
);

/** Breaks the function with which resolvers encode a nodeId. Loaded before the gateway. */
const BREAK_NODE_IDS = `data:text/javascript,${encodeURIComponent(`
  const { toString } = Buffer.prototype;
  Buffer.prototype.toString = function (encoding, ...rest) {
    if (encoding === 'base64url') throw new TypeError('broken for s3cret');
    return toString.call(this, encoding, ...rest);
  };
`)}`;

test('a bug is logged with its request id and without the token; the client gets a masked error', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startGatewayProcess(upstream.url, { LOG_LEVEL: 'warn' }, [
    '--import',
    BREAK_NODE_IDS,
  ]);

  const { status, errors } = await gateway.ask('{ message(id: "m1") { id nodeId } }', {
    token: 's3cret',
    headers: { 'x-request-id': 'r-1' },
  });
  await expect.poll(() => gateway.log().length).toBe(1);

  expect(status).toBe(200);
  expect(errors?.map(({ message, extensions }) => ({ message, extensions }))).toEqual([
    {
      message: 'Internal server error',
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    },
  ]);
  const [line = ''] = gateway.log();
  expect(JSON.parse(line)).toMatchObject({
    level: 50,
    requestId: 'r-1',
    error: { name: 'TypeError', message: 'broken for [redacted]' },
  });
  expect(line).toContain('node-id');
  expect(line).not.toContain('s3cret');
});

test('a failed call is logged once, with its cause', async () => {
  await using gateway = await startGatewayProcess('http://127.0.0.1:1', {
    REST_RETRIES: '0',
    LOG_LEVEL: 'warn',
  });

  await gateway.ask('{ a: message(id: "m1") { id } b: message(id: "m1") { id } }');
  // The start logs too that the service cannot be reached.
  const lines = () => gateway.log().filter((line) => line.includes('"method"'));
  await expect.poll(() => lines().length).toBe(1);

  expect(JSON.parse(lines()[0] ?? '')).toMatchObject({
    level: 40,
    method: 'GET',
    route: '/v1/messages/:id',
    kind: 'unreachable',
    cause: 'ECONNREFUSED',
    outcomeUnknown: false,
  });
});

test('no log line contains the token, even if the service sends it as the name of a reaction', async () => {
  const token = 's3cret/"token"';
  const escaped = encodeURIComponent(token);
  await using upstream = await startUpstream({
    'GET /v1/messages/a': wireMessage('a', { reactions: [{ [token]: 'x' }] }),
    'GET /v1/messages/b': wireMessage('b', { reactions: [{ [escaped]: 'x' }] }),
    'GET /v1/messages': wirePage([wireMessage('m1', { reactions: [{ [token]: [1] }] })]),
  });
  await using gateway = await startGatewayProcess(upstream.url, { LOG_LEVEL: 'trace' });

  await gateway.ask(
    '{ a: message(id: "a") { id } b: message(id: "b") { id } messages { nodes { id } } }',
    { token },
  );
  await expect
    .poll(() => gateway.log().filter((line) => line.includes('"level":40')).length)
    .toBe(3);

  for (const line of gateway.log()) expect(line).not.toMatch(/s3cret/);
});
