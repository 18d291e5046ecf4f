import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FIRST_OPERATION } from '../../src/operation/explorer.ts';
import { type GraphqlAnswer, startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';

/** Nothing listens there: these tests ask nothing of the service. */
const NOWHERE = 'http://127.0.0.1:1';

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': JSON_TYPE, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('a request error', () => {
  test.each([
    ['a syntax error', { query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: '{ nope }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a variable of the wrong type',
      { query: 'query ($id: ID!) { message(id: $id) { id } }' },
      'BAD_USER_INPUT',
    ],
    [
      'an unknown operation',
      { query: 'query A { __typename }', operationName: 'B' },
      'OPERATION_RESOLUTION_FAILURE',
    ],
    [
      'a Timestamp above 2^53-1',
      {
        query:
          'mutation { updateConversation(input: { id: "c", archivedAt: 9007199254740992 }) { conversation { id } } }',
      },
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'a Timestamp that is a fraction',
      {
        query:
          'mutation ($t: Timestamp) { updateConversation(input: { id: "c", archivedAt: $t }) { conversation { id } } }',
        variables: { t: 1.5 },
      },
      'BAD_USER_INPUT',
    ],
  ])(
    'is 400: %s; but 200 for a client that knows plain JSON alone',
    async (_what, body, code) => {
      await using gateway = await startTestGateway(NOWHERE);

      for (const [accept, status, type] of [
        [RESPONSE_TYPE, 400, RESPONSE_TYPE],
        ['*/*', 400, JSON_TYPE],
        [`${RESPONSE_TYPE}, ${JSON_TYPE};q=0.9`, 400, RESPONSE_TYPE],
        [JSON_TYPE, 200, JSON_TYPE],
      ] as const) {
        const response = await post(gateway.url, body, { accept });
        const answer = (await response.json()) as GraphqlAnswer;

        expect(response.status).toBe(status);
        expect(response.headers.get('content-type')).toContain(type);
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(answer.errors?.[0]?.extensions.code).toBe(code);
        expect(answer).not.toHaveProperty('data');
      }
    },
  );

  test.each([
    ['JSON cut short', '{"query":', {}, 400],
    ['no body', '', {}, 400],
    ['a list of operations', [{ query: '{ __typename }' }], {}, 400],
    ['no query', {}, {}, 400],
    ['a misspelt query', { qeury: '{ __typename }' }, {}, 400],
    ['an empty query', { query: '' }, {}, 400],
    [
      'a persisted query of an unknown version',
      { extensions: { persistedQuery: { version: 2, sha256Hash: 'x' } } },
      {},
      400,
    ],
    [
      'a persisted query that is not what its hash says',
      {
        query: '{ __typename }',
        extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } },
      },
      {},
      400,
    ],
    ['a query that is a number', { query: 7 }, {}, 400],
    ['variables that are text', { query: '{ __typename }', variables: '{}' }, {}, 400],
    ['text', '{ __typename }', { 'content-type': 'text/plain' }, 415],
    [
      'a form',
      'query={__typename}',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
    ],
    [
      'more than a mebibyte',
      { query: `{ __typename } #${'x'.repeat(1_048_576)}` },
      {},
      413,
    ],
  ])(
    'is 4xx even for such a client when it is no GraphQL request: %s',
    async (_what, body, headers, status) => {
      await using gateway = await startTestGateway(NOWHERE);

      const response = await post(gateway.url, body, { accept: JSON_TYPE, ...headers });

      expect(response.status).toBe(status);
      const { errors: [error] = [] } = (await response.json()) as GraphqlAnswer;
      expect(error?.message).not.toBe('');
      expect(error?.extensions.code).toBe('BAD_REQUEST');
    },
  );

  test('is 400 for a document of more than 10,000 tokens', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const response = await post(gateway.url, {
      query: `{ ${'__typename '.repeat(10_001)} }`,
    });

    expect(response.status).toBe(400);
  });

  test('is 405 for other methods and for a mutation by GET', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const mutation =
      'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }';
    const headers = { authorization: 'Bearer t', 'content-type': JSON_TYPE };

    const put = await fetch(`${gateway.url}/graphql`, {
      method: 'PUT',
      body: '{"query":"{__typename}"}',
      headers,
    });
    const get = await fetch(
      `${gateway.url}/graphql?query=${encodeURIComponent(mutation)}`,
      { headers },
    );

    expect([put.status, get.status]).toEqual([405, 405]);
    expect(put.headers.get('allow')).toBe('GET, POST');
  });
});

test('an operation whose answer the client cannot read is not carried out', async () => {
  await using upstream = await startUpstream({
    'DELETE /v1/messages/m1': answering({ status: 204 }),
  });
  await using gateway = await startTestGateway(upstream.url);
  const query = 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }';

  const response = await post(
    gateway.url,
    { query },
    { accept: 'text/csv', authorization: 'Bearer t' },
  );

  expect(response.status).toBe(406);
  expect(upstream.calls).toEqual([]);
});

test('a GET with an Authorization header needs no other; without one it is refused', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);
  const url = `${gateway.url}/graphql?query=${encodeURIComponent('{ message(id: "m1") { id } }')}`;

  const simple = await fetch(url);
  const authorized = await fetch(url, { headers: { authorization: 'Bearer ann-token' } });

  expect(simple.status).toBe(400);
  expect(await authorized.json()).toEqual({ data: { message: { id: 'm1' } } });
  expect(upstream.calls).toHaveLength(1);
});

test.each([
  ['HTTP/1.0 without one', 'POST /graphql HTTP/1.0'],
  ['an empty one', 'POST /graphql HTTP/1.1\r\nHost:'],
  ['one that is no host', 'POST /graphql HTTP/1.1\r\nHost: a b'],
  ['half of an address', 'POST /graphql HTTP/1.1\r\nHost: ]x['],
])('a Host header is not needed to be sound: %s', async (_what, head) => {
  await using gateway = await startTestGateway(NOWHERE);

  const answer = await sendRaw(
    gateway.url,
    `${head}\r\nContent-Type: application/json\r\nContent-Length: 26\r\nConnection: close\r\n\r\n{"query":"{ __typename }"} `,
  );

  expect(answer).toMatch(/^HTTP\/1.1 [24]\d\d /);
});

test('what never reaches GraphQL is answered in its shape, without quoting the request', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const answers = await Promise.all([
    fetch(`${gateway.url}/%zzsecret`),
    post(gateway.url, '{}', { 'content-encoding': 'secret' }),
    post(gateway.url, '{"secret"'),
    fetch(`${gateway.url}/secret`),
  ]);

  for (const response of answers) {
    const text = await response.text();
    expect(response.status).toBeLessThan(500);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).not.toBeNull();
    expect(text).not.toContain('secret');
    expect(JSON.parse(text).errors[0].extensions.code).toMatch(/BAD_REQUEST|NOT_FOUND/);
  }
});

test('an operation of a kind the schema does not have is a request error', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const response = await post(gateway.url, { query: 'subscription { x }' });

  expect(response.status).toBe(400);
  expect(await response.json()).not.toHaveProperty('data');
});

test.each([
  ['application/json; charset=utf-8', 200, 'application/json'],
  [
    'application/graphql-response+json;charset=utf-8, application/json;q=0.5',
    400,
    'graphql-response',
  ],
  ['text/html, application/json;charset=utf-8;q=0.9', 200, 'application/json'],
])('a client may spell the charset out: %s', async (accept, status, type) => {
  await using gateway = await startTestGateway(NOWHERE);

  const good = await post(gateway.url, { query: '{ __typename }' }, { accept });
  const bad = await post(gateway.url, { query: '{ nope }' }, { accept });

  expect(good.status).toBe(200);
  expect(bad.status).toBe(status);
  expect(bad.headers.get('content-type')).toContain(type);
});

describe('other origins', () => {
  const preflight = (url: string, origin: string) =>
    fetch(`${url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  test('may all ask by default, without credentials', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const allowed = await preflight(gateway.url, 'https://app.example');
    const asked = await post(
      gateway.url,
      { query: '{ __typename }' },
      { origin: 'https://app.example' },
    );

    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('*');
    expect(allowed.headers.get('access-control-allow-headers')).toContain(
      'authorization',
    );
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
    expect(asked.headers.get('access-control-expose-headers')).toBe(
      'X-Request-Id, Retry-After',
    );
  });

  test('may ask only from CORS_ORIGINS, if set', async () => {
    await using gateway = await startTestGateway(NOWHERE, {
      CORS_ORIGINS: 'https://app.example, https://dev.example',
    });

    const ours = await preflight(gateway.url, 'https://dev.example');
    const theirs = await preflight(gateway.url, 'https://evil.example');

    expect(ours.headers.get('access-control-allow-origin')).toBe('https://dev.example');
    expect(theirs.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('every answer', () => {
  test("says no-store and carries a request id of its own, or the caller's", async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const query = { query: '{ __typename }' };

    const plain = await post(gateway.url, query);
    const named = await post(gateway.url, query, { 'x-request-id': 'abc-123' });
    const health = await fetch(`${gateway.url}/healthz`);
    const missing = await fetch(`${gateway.url}/nothing`);

    for (const response of [plain, named, health, missing]) {
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-request-id')).toMatch(/^[\w-]+$/);
    }
    expect(named.headers.get('x-request-id')).toBe('abc-123');
    expect(plain.headers.get('x-request-id')).not.toBe(
      health.headers.get('x-request-id'),
    );
  });

  test.each([['a b'], ['x'.repeat(200)], ['{"a":1}'], ['me-secret-token-too']])(
    "has a new request id when the caller's is unfit: %s",
    async (id) => {
      await using gateway = await startTestGateway(NOWHERE);

      const response = await post(
        gateway.url,
        { query: '{ __typename }' },
        { 'x-request-id': id, authorization: 'Bearer secret-token' },
      );

      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    },
  );

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)(
    'is compressed with %s when it is long and the client can read it',
    async (encoding, decompress) => {
      await using upstream = await startUpstream({
        'GET /v1/messages/m1': wireMessage('m1', { message: 'long '.repeat(1000) }),
      });
      await using gateway = await startTestGateway(upstream.url);

      const { headers, body } = await rawPost(
        gateway.url,
        '{ message(id: "m1") { message } }',
        encoding,
      );

      expect(headers['content-encoding']).toBe(encoding);
      expect(body.length).toBeLessThan(500);
      expect(JSON.parse(decompress(body).toString()).data.message.message).toHaveLength(
        5000,
      );
    },
  );
});

/** Sends a request as written, which no client would. */
async function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  return Buffer.concat(await socket.toArray()).toString();
}

/** fetch decompresses by itself, so this does not use it. */
function rawPost(url: string, query: string, encoding: string) {
  return new Promise<{ headers: import('node:http').IncomingHttpHeaders; body: Buffer }>(
    (resolve, reject) => {
      const asking = request(`${url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': JSON_TYPE,
          authorization: 'Bearer t',
          'accept-encoding': encoding,
        },
      });
      asking.on('response', async (response) => {
        resolve({
          headers: response.headers,
          body: Buffer.concat(await response.toArray()),
        });
      });
      asking.on('error', reject);
      asking.end(JSON.stringify({ query }));
    },
  );
}

describe('around /graphql', () => {
  test('/ leads to the explorer, which shows a first operation and the header', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const response = await fetch(gateway.url, {
      headers: { accept: 'text/html,*/*;q=0.8' },
    });
    const page = await response.text();

    expect(response.url).toBe(`${gateway.url}/graphql`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(page).toContain('RecentConversations');
    expect(page).toContain('"Authorization":"Bearer ACCESS_TOKEN"');
  });

  test('the first operation of the explorer is a valid one', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const { errors } = await gateway.ask(FIRST_OPERATION, { token: null });

    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED']);
  });

  test('it is alive and ready', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const statuses = await Promise.all(
      ['healthz', 'readyz'].map(
        async (path) => (await fetch(`${gateway.url}/${path}`)).status,
      ),
    );

    expect(statuses).toEqual([200, 200]);
  });

  test('what is not there is 404 in the shape of GraphQL', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const response = await fetch(`${gateway.url}/v1/messages`);

    expect(response.status).toBe(404);
    const { errors } = (await response.json()) as GraphqlAnswer;
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });

  test('INTROSPECTION=false hides the schema, and its hints', async () => {
    await using gateway = await startTestGateway(NOWHERE, { INTROSPECTION: 'false' });

    const introspection = await post(gateway.url, {
      query: '{ __schema { queryType { name } } }',
    });
    const hint = await post(gateway.url, { query: '{ mesage(id: "x") { id } }' });

    expect(introspection.status).toBe(400);
    expect(await hint.text()).not.toContain('Did you mean');
  });
});

describe('stopping', () => {
  test('finishes what it has accepted, and says meanwhile that it is not ready', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
    });
    const gateway = await startTestGateway(upstream.url);
    const asked = gateway.ask('{ message(id: "m1") { message } }');
    await expect.poll(() => upstream.calls.length).toBe(1);

    const stopped = gateway.stop();
    const readiness = await fetch(`${gateway.url}/readyz`);
    const health = await fetch(`${gateway.url}/healthz`);

    expect(readiness.status).toBe(503);
    expect(health.status).toBe(200);
    expect((await asked).data.message.message).toBe('text m1');
    await stopped;
    await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
  });

  test('waits for as long as an operation may take, be that the longest there is', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
    });
    const gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '2147483647',
    });

    const asked = gateway.ask('{ message(id: "m1") { id } }');
    await expect.poll(() => upstream.calls.length).toBe(1);
    await gateway.stop();

    expect((await asked).data).toEqual({ message: { id: 'm1' } });
  });

  test('sends clients with a kept connection elsewhere', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
    });
    const gateway = await startTestGateway(upstream.url);
    const asked = gateway.ask('{ message(id: "m1") { message } }');
    await expect.poll(() => upstream.calls.length).toBe(1);

    const stopped = gateway.stop();
    const meanwhile = await gateway.ask('{ __typename }');

    expect(meanwhile.data.__typename).toBe('Query');
    expect(meanwhile.headers.get('connection')).toBe('close');
    await Promise.all([asked, stopped]);
  });

  test('does not wait for requests half sent', async () => {
    const gateway = await startTestGateway(NOWHERE);
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write('POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    await once(socket, 'connect');
    await gateway.ask('{ __typename }');

    await expect(gateway.stop()).resolves.toBeUndefined();
    socket.destroy();
  });

  test('does not wait for idle connections', async () => {
    const gateway = await startTestGateway(NOWHERE);
    await gateway.ask('{ __typename }');

    await expect(gateway.stop()).resolves.toBeUndefined();
  });
});
