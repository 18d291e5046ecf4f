import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { isBug, toClientError } from '../../src/operation/errors.ts';
import { askOnce } from '../support/ask-once.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';

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
