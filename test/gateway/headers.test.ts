import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE, post } from '../support/http.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const TYPENAME = { query: '{ __typename }' };

describe('every response', () => {
  test('has a request id, may not be stored, and tells browsers to be strict', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const responses = await Promise.all([
      post(gateway.url, TYPENAME),
      fetch(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } }),
      fetch(`${gateway.url}/healthz`),
      fetch(`${gateway.url}/nothing`),
      fetch(`${gateway.url}/%zz`),
    ]);

    for (const { headers } of responses) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-request-id': expect.stringMatching(/^[\w-]+$/),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-security-policy': "frame-ancestors 'none'",
        'referrer-policy': 'strict-origin',
      });
    }
    const ids = responses.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(responses.length);
  });

  test("has the caller's request id", async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const { headers } = await post(gateway.url, TYPENAME, { 'x-request-id': 'abc-123' });

    expect(headers.get('x-request-id')).toBe('abc-123');
  });

  test.each([['a b'], ['x'.repeat(200)], ['{"a":1}'], ['me-secret-token-too']])(
    "has a new request id if the caller's is unfit: %s",
    async (id) => {
      await using gateway = await startTestGateway(NOWHERE);

      const { headers } = await post(gateway.url, TYPENAME, {
        'x-request-id': id,
        authorization: 'Bearer secret-token',
      });

      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    },
  );

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)(
    'is compressed with %s if it is long and the client accepts it',
    async (encoding, decompress) => {
      await using upstream = await startUpstream({
        'GET /v1/messages/m1': wireMessage('m1', { message: 'long '.repeat(1000) }),
      });
      await using gateway = await startTestGateway(upstream.url);

      const { received, body } = await postCompressed(
        gateway.url,
        '{ message(id: "m1") { message } }',
        encoding,
      );

      expect(received).toBe(encoding);
      expect(body.length).toBeLessThan(500);
      const { data } = JSON.parse(decompress(body).toString());
      expect(data.message.message).toHaveLength(5000);
    },
  );

  test.each([
    ['500 bytes in as many characters', 'x'.repeat(500), undefined],
    ['1,200 bytes in 400 characters', '\u20ac'.repeat(400), 'gzip'],
    ['1,200 bytes in as many characters', 'x'.repeat(1200), 'gzip'],
  ])('is compressed from 1,024 bytes on: %s', async (_size, message, encoding) => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1', { message }),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { received, body } = await postCompressed(
      gateway.url,
      '{ message(id: "m1") { message } }',
      'gzip',
    );

    expect(received).toBe(encoding);
    const text = received === 'gzip' ? gunzipSync(body) : body;
    expect(JSON.parse(text.toString()).data.message.message).toBe(message);
  });
});

/** Returns the body as it was sent; fetch would decompress it. */
function postCompressed(url: string, query: string, encoding: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    received: string | undefined;
    body: Buffer;
  }>();
  const asking = request(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer t',
      'accept-encoding': encoding,
    },
  });
  asking.on('error', reject);
  asking.on('response', async (response) => {
    const body = Buffer.concat(await response.toArray());
    resolve({ received: response.headers['content-encoding'], body });
  });
  asking.end(JSON.stringify({ query }));
  return promise;
}

describe('pages of other origins', () => {
  const preflight = (url: string, origin: string) =>
    fetch(`${url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  test('may all send requests by default, without credentials', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const origin = 'https://app.example';

    const allowed = await preflight(gateway.url, origin);
    const asked = await post(gateway.url, TYPENAME, { origin });

    expect(allowed.status).toBe(204);
    expect(Object.fromEntries(allowed.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': expect.stringContaining('authorization'),
    });
    expect(allowed.headers.has('access-control-allow-credentials')).toBe(false);
    expect(asked.headers.get('access-control-expose-headers')).toBe(
      'X-Request-Id, Retry-After',
    );
  });

  test('may send requests only if CORS_ORIGINS lists them', async () => {
    await using gateway = await startTestGateway(NOWHERE, {
      CORS_ORIGINS: 'https://app.example, https://dev.example',
    });

    const listed = await preflight(gateway.url, 'https://dev.example');
    const other = await preflight(gateway.url, 'https://evil.example');

    expect(listed.headers.get('access-control-allow-origin')).toBe('https://dev.example');
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('the request id goes to the service with every call; of a GET that two operations share, it is that of the first', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': [
      answering({ status: 503 }),
      answering({ body: wireMessage('m1'), delayMs: 200 }),
    ],
    'DELETE /v1/messages/m2': answering({ status: 204 }),
  });
  await using gateway = await startTestGateway(upstream.url);
  const ask = (query: string, id: string) =>
    gateway.ask(query, { headers: { 'x-request-id': id } });

  await ask(
    'mutation { deleteMessage(input: { id: "m2" }) { deletedMessageId } }',
    'r-1',
  );
  const first = ask('{ message(id: "m1") { message } }', 'r-2');
  await expect.poll(() => upstream.calls.length).toBe(3);
  await Promise.all([first, ask('{ message(id: "m1") { message } }', 'r-3')]);

  const ids = upstream.headers.map((sent) => sent['x-request-id']);
  expect(ids).toEqual(['r-1', 'r-2', 'r-2']);
});
