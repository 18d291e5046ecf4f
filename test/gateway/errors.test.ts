import { describe, expect, test } from 'vitest';
import { askOnce, startScripted, startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { startTlsService } from '../support/tls-service.ts';
import { answering, type UpstreamAnswer } from '../support/upstream.ts';
import { wireConversation, wireMessage } from '../support/wire.ts';

const READ = '{ message(id: "m1") { id } }';
const LIST = '{ messages { nodes { id } } }';
const WRITE =
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }';
const DELETE = 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }';

/** Sends an operation to a service that gives every call this answer. Reads are not retried. */
const askFor = (
  query: string,
  answer: UpstreamAnswer,
  { env = {}, token }: { env?: Record<string, string>; token?: string } = {},
) =>
  askOnce(query, answering(answer), {
    env: { REST_RETRIES: '0', ...env },
    ...(token && { token }),
  });

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
    [DELETE, 410, 'NOT_FOUND'],
  ])('%s answered %i is %s with the body of the answer', async (query, status, code) => {
    const answer = await askFor(query, { status, body });

    expect(answer.status).toBe(200);
    expect(Object.values(answer.data)).toEqual([null]);
    expect(answer.errors).toHaveLength(1);
    expect(answer.error?.extensions).toEqual({ code, upstream: { status, body } });
    expect(answer.error?.path).toHaveLength(1);
  });

  test.each([
    [READ, 302],
    [READ, 304],
    [READ, 500],
    [LIST, 502],
  ])('%s answered %i is UPSTREAM_ERROR without a body', async (query, status) => {
    const { error } = await askFor(query, { status, headers: { location: '/other' } });

    expect(error?.extensions).toEqual({ code: 'UPSTREAM_ERROR', upstream: { status } });
  });

  test('404 for a link or for the messages of a conversation is null without an error', async () => {
    const { data, errors } = await askOnce(
      '{ conversation(id: "c1") { id pinnedMessage { message } messages { nodes { id } } } }',
      { 'GET /v1/conversations/c1': wireConversation('c1', { pinned_message_id: 'm9' }) },
    );

    expect(errors).toBeUndefined();
    expect(data.conversation).toEqual({ id: 'c1', pinnedMessage: null, messages: null });
  });
});

describe('no answer of the service', () => {
  test.each([
    [
      'it took longer than 50 ms (REST_TIMEOUT_MS)',
      { delayMs: 60_000 },
      'UPSTREAM_TIMEOUT',
    ],
    ['the connection was closed', { broken: 'before' }, 'UPSTREAM_UNREACHABLE'],
    ['the connection was closed', { broken: 'within' }, 'UPSTREAM_UNREACHABLE'],
  ] as const)(
    'is an error, which leaves the outcome of a write unknown: %s',
    async (words, how, code) => {
      const given = { body: wireMessage('m1'), ...how };
      const env = 'delayMs' in how ? { REST_TIMEOUT_MS: '50' } : {};

      const read = await askFor(READ, given, { env });
      const written = await askFor(WRITE, given, { env });

      expect(read.error?.extensions).toEqual({ code });
      expect(read.error?.message).toContain(`got no answer: ${words}`);
      expect(written.error?.extensions).toEqual({ code, outcome: 'unknown' });
    },
  );

  // security: failing-service
  test('within OPERATION_TIMEOUT_MS is UPSTREAM_TIMEOUT, only for the fields that wait', async () => {
    const answer = await askOnce(
      '{ a: message(id: "m1") { id } b: message(id: "m2") { id } }',
      {
        'GET /v1/messages/m1': wireMessage('m1'),
        'GET /v1/messages/m2': answering({ delayMs: 60_000 }),
      },
      { env: { OPERATION_TIMEOUT_MS: '2500' } },
    );

    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ a: { id: 'm1' }, b: null });
    expect(answer.codes).toEqual({ b: 'UPSTREAM_TIMEOUT' });
  });
});

test.each([
  ['500', 'unknown', { status: 500 }],
  ['303', 'unknown', { status: 303, headers: { location: '/v1/messages/m1' } }],
  ['text', 'unknown', { status: 200, body: 'oops' }],
  ['an object that is not a message', 'unknown', { status: 200, body: { id: 'm1' } }],
  ['400', 'known', { status: 400 }],
  ['401', 'known', { status: 401 }],
  ['429', 'known', { status: 429 }],
])('a write answered %s is sent once, its outcome %s', async (_, outcome, given) => {
  const { error, lines } = await askFor(WRITE, given, { env: { REST_RETRIES: '2' } });

  expect(error?.extensions.code).toBeDefined();
  expect(error?.extensions.outcome).toBe(outcome === 'known' ? undefined : 'unknown');
  expect(lines).toEqual(['PUT /v1/messages/m1']);
});

describe('a read that fails', () => {
  test.each([
    ['502', answering({ status: 502 })],
    ['503', answering({ status: 503 })],
    ['504', answering({ status: 504 })],
    ['a lost connection', answering({ broken: 'before' })],
    ['half an answer', answering({ broken: 'within', body: '{"id":' })],
  ])('is retried up to REST_RETRIES times: %s', async (_, failure) => {
    const { data, errors, calls } = await askOnce(READ, {
      'GET /v1/messages/m1': [failure, failure, wireMessage('m1')],
    });

    expect(errors).toBeUndefined();
    expect(data.message.id).toBe('m1');
    expect(calls).toHaveLength(3);
  });
});

describe('the message of an error', () => {
  test.each<[what: string, query: string, answer: UpstreamAnswer, message: string]>([
    [
      'a write',
      WRITE,
      { status: 409, body: { message: 'Stale' } },
      'PUT /v1/messages/:id answered 409: Stale',
    ],
    [
      '5xx, which never shows what the service said',
      READ,
      { status: 500, body: { message: 'at line 7' } },
      'GET /v1/messages/:id answered 500',
    ],
    [
      '401',
      READ,
      { status: 401, body: { error: { message: 'expired' } } },
      'GET /v1/messages/:id answered 401 (the service refused the token): expired',
    ],
    [
      '404 to a plain list',
      LIST,
      { status: 404, body: { message: 'Not found' } },
      'GET /v1/messages answered 404 (the service has no such list at this address: check MESSAGING_URL): Not found',
    ],
    ['404 to a mutation', WRITE, { status: 404 }, 'PUT /v1/messages/:id answered 404'],
    [
      'a redirect',
      LIST,
      { status: 301, headers: { location: 'https://elsewhere.example/v1/messages' } },
      'GET /v1/messages answered 301 (a redirect, which is not followed: check MESSAGING_URL)',
    ],
  ])('says what helps: %s', async (_, query, answer, message) => {
    expect((await askFor(query, answer)).error?.message).toBe(message);
  });

  test.each([
    [
      { OPERATION_TIMEOUT_MS: '50' },
      { delayMs: 60_000 },
      'got no answer: the operation took longer than 50 ms (OPERATION_TIMEOUT_MS)',
    ],
    [
      { MAX_RESPONSE_BYTES: '10' },
      { body: 'x'.repeat(11) },
      'answered more than 10 bytes (MAX_RESPONSE_BYTES)',
    ],
  ])('names the setting that limits it: %j', async (env, answer, words) => {
    const { error } = await askFor(READ, answer, { env });

    expect(error?.message).toBe(`GET /v1/messages/:id ${words}`);
  });

  test('says why the service cannot be reached', async () => {
    await using secure = await startTlsService('authority');
    await using plain = await startScripted({});
    const reasons = {
      [NOWHERE]: 'the connection was refused',
      'http://nowhere.invalid': "the service's host name is unknown (DNS)",
      [secure.url]: "the service's certificate is self-signed",
      [plain.service.url.replace('http:', 'https:')]:
        'the service does not speak TLS, which https needs',
    };

    for (const [url, reason] of Object.entries(reasons)) {
      await using gateway = await startTestGateway(url, { REST_RETRIES: '0' });
      for (const query of [READ, WRITE]) {
        const { errors } = await gateway.ask(query);
        // Nothing was sent, so the outcome of a write is known.
        expect(errors?.[0]?.extensions).toEqual({ code: 'UPSTREAM_UNREACHABLE' });
        expect(errors?.[0]?.message).toContain(`got no answer: ${reason}`);
      }
    }
  });
});

describe('the token', () => {
  const FIRST = 'query ($n: Int) { messages(first: $n) { nodes { id } } }';

  // security: token-in-error
  test('is in no error, even if it is in the operation', async () => {
    await using gateway = await startTestGateway(NOWHERE);
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

  // security: token-in-error, token-in-words
  test.each<[string, (token: string) => string]>([
    ['as it is', (token) => token],
    ['in JSON', (token) => JSON.stringify({ message: `Bearer ${token}` })],
    ['across the 200th character', (token) => 'x'.repeat(190) + token],
    ['across the cut at 4 KiB', (token) => 'x'.repeat(4090) + token],
  ])('is in no error, even if the service sends it %s', async (_, write) => {
    const token = 'abc/DEF"ghi\\jkl+%41=';

    const { error } = await askFor(READ, { status: 400, body: write(token) }, { token });

    expect(error?.message).toMatch(/answered 400: .*\[redact|x{190}/);
    expect(JSON.stringify(error?.extensions)).toContain('[re');
    expect(JSON.stringify(error)).not.toMatch(/abc|def|ghi|jkl/i);
  });
});
