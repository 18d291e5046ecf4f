import { describe, expect, test } from 'vitest';
import { askOnce } from '../support/ask-once.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startTlsService } from '../support/tls-service.ts';
import { startUpstream } from '../support/upstream.ts';

const READ = '{ message(id: "m1") { id } }';
const LIST = '{ messages { nodes { id } } }';
const WRITE =
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }';

/** The message of the error of a read that is answered 422 with this body. */
async function messageFor(body: unknown): Promise<string | undefined> {
  const { error } = await askOnce(READ, { status: 422, body });
  return error?.message;
}

const BARE = 'GET /v1/messages/:id answered 422';

describe("the message of a 4xx ends with the service's own words", () => {
  test.each([
    ['message', { message: 'Too long', error: 'Bad Request' }],
    ['error', { error: 'Too long', detail: 'no' }],
    ['error.message', { error: { message: 'Too long', code: 7 }, title: 'no' }],
    ['detail', { title: 'no', detail: 'Too long' }],
    ['title', { type: 'about:blank', title: 'Too long' }],
    ['errors[0].message', { errors: [{ message: 'Too long' }, { message: 'no' }] }],
    ['a message that is no text, then error', { message: ['no'], error: 'Too long' }],
    ['an empty message, then detail', { message: ' ', detail: 'Too long' }],
    ['a JSON text', '"Too long"'],
    ['plain text', 'Too long'],
    ['plain text of several lines', '\r\n Too\n\tlong \u2028\n'],
    ['text with a control character', { message: 'Too\u001blong' }],
    ['text that turns the line around', { message: 'Too\u202elong' }],
  ])('from %s', async (_what, body) => {
    expect(await messageFor(body)).toBe(`${BARE}: Too long`);
  });

  test('from a long answer, of which upstream.body has the beginning as text', async () => {
    const body = { message: 'Too long', errors: 'x'.repeat(5000) };

    expect(await messageFor(body)).toBe(`${BARE}: Too long`);
  });

  test('for a write too', async () => {
    const { error } = await askOnce(WRITE, { status: 409, body: { message: 'Stale' } });

    expect(error?.message).toBe('PUT /v1/messages/:id answered 409: Stale');
    expect(error?.extensions.upstream).toEqual({
      status: 409,
      body: { message: 'Stale' },
    });
  });

  test('at most 200 characters of them, and none of them cut in two', async () => {
    const message = (await messageFor({ message: '\u{1f600}'.repeat(300) })) ?? '';
    const words = message.slice(`${BARE}: `.length);

    expect(Array.from(words)).toHaveLength(200);
    expect(words).toBe(`${'\u{1f600}'.repeat(199)}\u2026`);
  });
});

test.each([
  ['HTML', '<!DOCTYPE html><h1>Nope</h1>'],
  ['HTML with text before it', 'Error: <a href="/login">log in</a>'],
  ['XML', '<?xml version="1.0"?><e/>'],
  ['JSON without such a field', { code: 7, reason: { text: 'no' } }],
  ['a JSON list', ['no']],
  ['a number', '7'],
  ['JSON cut short', '{"message":"Too lo'],
  ['bytes that are no text', '\u001f\u008b\u0000compressed'],
  ['nothing', ''],
  ['white space', ' \n '],
])('a 4xx without words for people has none in its message: %s', async (_what, body) => {
  expect(await messageFor(body)).toBe(BARE);
});

test('a 5xx never shows what the service said', async () => {
  const { error } = await askOnce(READ, { status: 500, body: { message: 'at line 7' } });

  expect(error?.message).toBe('GET /v1/messages/:id answered 500');
});

test.each<[string, (token: string) => unknown]>([
  ['as it is', (token) => ({ message: `no such token: ${token}` })],
  ['percent-encoded', (token) => ({ message: encodeURIComponent(token) })],
  [
    'as \\u escapes',
    (token) => JSON.stringify({ message: token }).replace('c', '\\u0063'),
  ],
  ['in plain text', (token) => `bad ${token}`],
  ['across the 200th character', (token) => ({ message: 'x'.repeat(190) + token })],
])('the words hold no token: %s', async (_how, write) => {
  const token = 'abc/DEF"ghi\\jkl+%41=';

  const { error } = await askOnce(READ, { status: 400, body: write(token) }, { token });

  expect(error?.message).toMatch(/answered 400: .*\[redact|x{190}/);
  expect(error?.message).not.toMatch(/abc|def|ghi|jkl/i);
});

test('401 says that the service refused the token', async () => {
  const body = { error: { message: 'expired' } };
  const bare = await askOnce(READ, { status: 401 });
  const { error } = await askOnce(READ, { status: 401, body });

  expect(bare.error?.message).toBe(
    'GET /v1/messages/:id answered 401 (the service refused the token)',
  );
  expect(error?.message).toBe(`${bare.error?.message}: expired`);
});

test.each([404, 410])('%i to a plain list hints at MESSAGING_URL', async (status) => {
  const { error } = await askOnce(LIST, { status, body: { message: 'Not found' } });

  expect(error?.message).toBe(
    `GET /v1/messages answered ${status} (the service has no such list at this address: check MESSAGING_URL): Not found`,
  );
});

test('404 to a mutation has no such hint', async () => {
  const { error } = await askOnce(WRITE, { status: 404 });

  expect(error?.message).toBe('PUT /v1/messages/:id answered 404');
});

test('a redirect hints at MESSAGING_URL', async () => {
  const headers = { location: 'https://elsewhere.example/v1/messages' };
  const { error } = await askOnce(LIST, { status: 301, headers });

  expect(error?.message).toBe(
    'GET /v1/messages answered 301 (a redirect, which is not followed: check MESSAGING_URL)',
  );
});

describe('UPSTREAM_UNREACHABLE says why', () => {
  async function messageAt(url: string): Promise<string | undefined> {
    await using gateway = await startTestGateway(url, { REST_RETRIES: '0' });
    const { errors } = await gateway.ask(READ);
    expect(errors?.[0]?.extensions).toEqual({ code: 'UPSTREAM_UNREACHABLE' });
    return errors?.[0]?.message;
  }

  test.each([
    ['http://127.0.0.1:1', 'the connection was refused'],
    ['http://nowhere.invalid', "the service's host name is unknown (DNS)"],
  ])('%s: %s', async (url, words) => {
    expect(await messageAt(url)).toBe(`GET /v1/messages/:id got no answer: ${words}`);
  });

  test('a service that closes the connection', async () => {
    await using upstream = await startUpstream(() => ({ broken: 'before' }));

    expect(await messageAt(upstream.url)).toBe(
      'GET /v1/messages/:id got no answer: the connection was closed',
    );
  });

  test('a certificate that is not trusted', async () => {
    await using service = await startTlsService('authority');

    expect(await messageAt(service.url)).toBe(
      "GET /v1/messages/:id got no answer: the service's certificate is self-signed",
    );
  });

  test('https to a service that speaks http', async () => {
    await using upstream = await startUpstream({});

    expect(await messageAt(upstream.url.replace('http:', 'https:'))).toBe(
      'GET /v1/messages/:id got no answer: the service does not speak TLS, which https needs',
    );
  });
});

describe('UPSTREAM_TIMEOUT names the limit', () => {
  test.each([
    [{ REST_TIMEOUT_MS: '50' }, 'it took longer than 50 ms (REST_TIMEOUT_MS)'],
    [
      { OPERATION_TIMEOUT_MS: '50' },
      'the operation took longer than 50 ms (OPERATION_TIMEOUT_MS)',
    ],
  ])('%j', async (env, words) => {
    const { error } = await askOnce(READ, { delayMs: 3000 }, { env });

    expect(error?.extensions.code).toBe('UPSTREAM_TIMEOUT');
    expect(error?.message).toBe(`GET /v1/messages/:id got no answer: ${words}`);
  });
});

test('the refusal of an answer that is too long names the limit', async () => {
  const env = { MAX_RESPONSE_BYTES: '10' };
  const { error } = await askOnce(READ, { body: 'x'.repeat(11) }, { env });

  expect(error?.message).toBe(
    'GET /v1/messages/:id answered more than 10 bytes (MAX_RESPONSE_BYTES)',
  );
});
