import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  askOnce,
  type GraphqlAnswer,
  startScripted,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts';
import {
  connectTo,
  NOWHERE,
  openConnection,
  post,
  sendRaw,
  toPost as toWholePost,
} from '../support/http.ts';
import { readMetric } from '../support/metrics.ts';
import {
  answering,
  LONG_ANSWER_BYTES,
  LONG_QUERY,
  startLongService,
} from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';
const TYPENAME = { query: '{ __typename }' };
const TYPENAME_ANSWER = { data: { __typename: 'Query' } };
const READ = '{ message(id: "m1") { id } }';
const DELETE = 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }';

let shared: TestGateway;
beforeAll(async () => {
  shared = await startTestGateway(NOWHERE);
});
afterAll(() => shared.close());

/** Sends a request to a gateway that reaches no service. */
const send = (init: RequestInit, path = '/graphql') =>
  fetchWhole(shared.url + path, init);

async function fetchWhole(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  const text = await response.text();
  const answer = (text.startsWith('{') ? JSON.parse(text) : {}) as GraphqlAnswer;
  const { status, headers } = response;
  return { status, headers, text, answer, code: answer.errors?.[0]?.extensions.code };
}

const toPost = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'content-type': JSON_TYPE, ...headers },
});

describe('a request error', () => {
  const archive = (type: string, value: string) =>
    `mutation ${type} { updateConversation(input: { id: "c", archivedAt: ${value} }) { conversation { id } } }`;

  test.each([
    ['a syntax error', { query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: '{ nope }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a subscription that accepts no stream',
      { query: 'subscription { conversationChanged { kind } }' },
      'BAD_REQUEST',
    ],
    [
      'a variable that is missing',
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
      { query: archive('', '9007199254740992') },
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'a Timestamp that is a fraction',
      { query: archive('($t: Timestamp)', '$t'), variables: { t: 1.5 } },
      'BAD_USER_INPUT',
    ],
  ])('is 400, or 200 to plain application/json: %s', async (_, body, code) => {
    for (const [accept, status, type] of [
      [RESPONSE_TYPE, 400, RESPONSE_TYPE],
      ['*/*', 400, JSON_TYPE],
      [JSON_TYPE, 200, JSON_TYPE],
    ] as const) {
      const refused = await send(toPost(body, { accept }));

      expect(refused.status).toBe(status);
      expect(refused.headers.get('content-type')).toContain(type);
      expect(refused.headers.get('cache-control')).toBe('no-store');
      expect(refused.code).toBe(code);
      expect(refused.answer).not.toHaveProperty('data');
    }
  });

  // security: batching, huge-body
  test.each<[what: string, body: unknown, expected?: BadRequest]>([
    ['JSON cut short', '{"query":'],
    ['no body', ''],
    ['a list of operations', [TYPENAME], { message: 'batching disabled' }],
    ['a misspelt query', { qeury: '{ __typename }' }],
    [
      'a persisted query of an unknown version',
      { extensions: { persistedQuery: { version: 2, sha256Hash: 'x' } } },
    ],
    ['variables that are text', { ...TYPENAME, variables: '{}' }],
    ['text', '{ __typename }', { type: 'text/plain', status: 415 }],
    [
      'a form',
      'query={__typename}',
      { type: 'application/x-www-form-urlencoded', status: 415 },
    ],
    [
      'more than a mebibyte',
      { query: `{ __typename } #${'x'.repeat(1_048_576)}` },
      { status: 413, message: 'more than 1048576 bytes' },
    ],
    [
      'bytes that are not UTF-8',
      Buffer.from('{"query":"{ __typename } #\xe9"}', 'latin1'),
      { message: 'UTF-8' },
    ],
    [
      'another charset',
      TYPENAME,
      { type: `${JSON_TYPE}; charset=iso-8859-1`, status: 415, message: 'UTF-8' },
    ],
  ])(
    'is 4xx for every client if the body is not a GraphQL request: %s',
    async (_, body, { type = JSON_TYPE, status = 400, message = '' } = {}) => {
      const headers = { accept: JSON_TYPE, 'content-type': type };
      const init = toPost(body, headers);

      const refused = await send(body instanceof Buffer ? { ...init, body } : init);

      expect(refused.status).toBe(status);
      const { errors: [error] = [] } = refused.answer;
      expect(error?.message).not.toBe('');
      expect(error?.message).toContain(message);
      expect(refused.code).toBe('BAD_REQUEST');
    },
  );

  test.each(['PUT', 'HEAD'])('is 405 for %s, whatever else is wrong', async (method) => {
    const body = method === 'HEAD' ? null : 'x';

    const refused = await send({ method, body, headers: { 'content-type': JSON_TYPE } });

    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET, POST');
    if (method === 'HEAD') return;
    expect(refused.answer).toEqual({
      errors: [
        {
          message: 'Send the operation as a POST, or a query as a GET.',
          extensions: { code: 'BAD_REQUEST' },
        },
      ],
    });
  });

  // security: internals
  test('has the same shape outside GraphQL, and never quotes the request', async () => {
    const refused = [
      await send({}, '/%zzsecret'),
      await send(toPost('{}', { 'content-encoding': 'secret' })),
      await send(toPost('{"secret"')),
      await send({}, '/v1/secret'),
    ];

    for (const { headers, text } of refused) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-request-id')).not.toBeNull();
      expect(text).not.toContain('secret');
    }
    expect(refused.map(({ status, code }) => [status, code])).toEqual([
      [400, 'BAD_REQUEST'],
      [415, 'BAD_REQUEST'],
      [400, 'BAD_REQUEST'],
      [404, 'NOT_FOUND'],
    ]);
  });
});

/** What differs from a 400 to JSON. */
interface BadRequest {
  readonly type?: string;
  readonly status?: number;
  /** A part of the message. */
  readonly message?: string;
}

test('a mutation is not carried out for a client that cannot read the response', async () => {
  await using gateway = await startScripted({
    'DELETE /v1/messages/m1': answering({ status: 204 }),
  });

  const { status } = await fetchWhole(
    `${gateway.url}/graphql`,
    toPost({ query: DELETE }, { accept: 'text/csv', authorization: 'Bearer t' }),
  );

  expect(status).toBe(406);
  expect(gateway.service.calls).toEqual([]);
});

// security: csrf
test('a GET needs the Authorization header, and no other', async () => {
  await using gateway = await startScripted({ 'GET /v1/messages/m1': wireMessage('m1') });
  const url = `${gateway.url}/graphql?query=${encodeURIComponent(READ)}`;

  const simple = await fetchWhole(url);
  const authorized = await fetchWhole(url, { headers: { authorization: 'Bearer a' } });

  expect(simple.status).toBe(400);
  expect(simple.answer).toEqual({
    errors: [
      {
        message: expect.stringMatching(
          /^[^\n]*"Authorization: Bearer <ACCESS_TOKEN>"[^\n]*$/,
        ),
        extensions: { code: 'BAD_REQUEST' },
      },
    ],
  });
  expect(authorized.answer).toEqual({ data: { message: { id: 'm1' } } });
  expect(gateway.service.calls).toHaveLength(1);
});

test.each([
  ['with the other header that the refusal names', 'query={__typename}'],
  ['with an empty parameter', 'query={__typename}&variables='],
  ['with empty parameters only before', 'extensions=&operationName=&query={__typename}'],
])('a GET may come without a token %s', async (_, search) => {
  const headers = { 'apollo-require-preflight': 'true' };

  const { answer } = await send({ headers }, `/graphql?${search}`);

  expect(answer).toEqual(TYPENAME_ANSWER);
});

test('/graphql/ works as /graphql does', async () => {
  await using gateway = await startTestGateway(NOWHERE);
  const headers = { authorization: 'Bearer t' };
  const url = `${gateway.url}/graphql/`;

  const posted = await fetchWhole(url, toPost(TYPENAME));
  const got = await fetchWhole(`${url}?query={__typename}`, { headers });
  const page = await fetchWhole(url, { headers: { accept: 'text/html' } });
  const put = await fetchWhole(url, { method: 'PUT', headers, body: '{}' });

  expect([posted.answer, got.answer]).toEqual([TYPENAME_ANSWER, TYPENAME_ANSWER]);
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(put.status).toBe(405);
  expect(await readMetric(gateway, 'gateway_http_responses_total')).toMatchObject({
    '{route="/graphql",status="200"}': 3,
  });
});

test.each([
  ['a byte order mark', '\ufeff', {}],
  ['the charset in capitals', '', { 'content-type': `${JSON_TYPE}; Charset="UTF-8"` }],
])('a request may have %s', async (_, before, headers) => {
  const { status, text } = await send(
    toPost(`${before}${JSON.stringify(TYPENAME)}`, headers),
  );

  expect(status).toBe(200);
  expect(text).toBe('{"data":{"__typename":"Query"}}\n');
});

describe('every response', () => {
  // security: frame, proxy-cache
  test('has a request id, may not be stored, and tells browsers to be strict', async () => {
    const responses = [
      await send(toPost(TYPENAME)),
      await send({ headers: { accept: 'text/html' } }),
      await send({}, '/healthz'),
      await send({}, '/nothing'),
      await send({}, '/%zz'),
    ];

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

  test.each([
    ['500 bytes in as many characters', 'x'.repeat(500), 'gzip', null],
    ['1,200 bytes in 400 characters', '\u20ac'.repeat(400), 'gzip', 'gzip'],
    ['br', 'long '.repeat(1000), 'br', 'br'],
  ])('is compressed from 1,024 bytes on: %s', async (_, message, encoding, expected) => {
    const { data, headers } = await askOnce(
      '{ message(id: "m1") { message } }',
      { 'GET /v1/messages/m1': wireMessage('m1', { message }) },
      { headers: { 'accept-encoding': encoding } },
    );

    expect(headers.get('content-encoding')).toBe(expected);
    expect(data.message.message).toBe(message);
  });
});

describe('the request id', () => {
  const CONTAINING = 'me-secret-token-too';

  // security: token-in-log
  test.each([
    ['a b', 'Bearer secret-token'],
    ['x'.repeat(200), 'Bearer secret-token'],
    ['{"a":1}', 'Bearer secret-token'],
    [CONTAINING, 'Bearer secret-token'],
    [CONTAINING, 'Bearer secret-token xx'],
    [CONTAINING, 'Bearer xx secret-token'],
    [CONTAINING, 'secret-token xx'],
    [CONTAINING, 'Bearer  secret-token'],
    [CONTAINING, 'Bearer=secret-token'],
    [CONTAINING, 'Basic "secret-token", xx'],
  ])(
    "is a new one if the caller's is unfit, or contains what may be a token: %s, %s",
    async (id, authorization) => {
      const { headers } = await send(
        toPost(TYPENAME, { 'x-request-id': id, authorization }),
      );

      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    },
  );

  test('is passed to the service with every call, beside the name and the version of the gateway; a GET that two operations share has that of the first', async () => {
    await using gateway = await startScripted({
      'GET /v1/messages/m1': [
        answering({ status: 503 }),
        answering({ body: wireMessage('m1'), delayMs: 400 }),
      ],
      'DELETE /v1/messages/m1': answering({ status: 204 }),
    });
    const { calls, headers } = gateway.service;
    const ask = (query: string, id: string) =>
      gateway.ask(query, { headers: { 'x-request-id': id } });

    await ask(DELETE, 'r-1');
    const first = ask(READ, 'r-2');
    await expect.poll(() => calls.length).toBe(3);
    await Promise.all([first, ask(READ, 'r-3')]);

    expect(headers.map((sent) => sent['x-request-id'])).toEqual(['r-1', 'r-2', 'r-2']);
    for (const sent of headers)
      expect(sent['user-agent']).toBe(`messaging-graphql/${version}`);
  });
});

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

  // security: csrf
  test('may all send requests by default, without credentials', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const origin = 'https://app.example';

    const allowed = await preflight(gateway.url, origin);
    const asked = await post(gateway.url, TYPENAME, { origin });

    expect(allowed.status).toBe(204);
    expect(allowed.headers.has('content-length')).toBe(false);
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

describe('a request as it is written on a connection', () => {
  const BODY = JSON.stringify(TYPENAME);
  const POSTED = `Content-Type: ${JSON_TYPE}\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`;
  const HTTP = 'HTTP/1.1\r\nHost: x\r\n';
  const CLOSE = 'Connection: close\r\n\r\n';
  const CHUNKED = `POST /graphql ${HTTP}Content-Type: ${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n${CLOSE}`;
  const LONG = `X: ${'a'.repeat(20_000)}\r\n`;

  async function write(request: string) {
    await using gateway = await startTestGateway(NOWHERE);
    const answer = await sendRaw(gateway.url, request);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    const counted = await readMetric(gateway, 'gateway_http_responses_total');
    return { answer, head, body, counted };
  }

  // security: unusual-requests
  test.each([
    [417, 'an unknown expectation', `POST /graphql ${HTTP}Expect: x\r\n${POSTED}`],
    [400, 'no Host', `POST /graphql HTTP/1.1\r\n${POSTED}`],
    [400, 'OPTIONS', `OPTIONS /graphql ${HTTP}${CLOSE}`],
    [
      400,
      'OPTIONS with an Origin alone',
      `OPTIONS /graphql ${HTTP}Origin: http://a\r\n${CLOSE}`,
    ],
    [404, 'CONNECT', `CONNECT example.com:443 ${HTTP}\r\n`],
    [405, 'TRACE', `TRACE /graphql ${HTTP}${CLOSE}`],
    [404, 'an address with two slashes', `POST //graphql ${HTTP}${POSTED}`],
    [400, 'an address that is not percent-encoded', `GET /%zz ${HTTP}${CLOSE}`],
    [
      400,
      'a query that is not percent-encoded',
      `GET /graphql?query=%ff ${HTTP}Authorization: Bearer t\r\n${CLOSE}`,
    ],
    [400, 'an absolute address that is none', `GET http://[/healthz ${HTTP}${CLOSE}`],
    [400, 'a chunk without a length', `${CHUNKED}1\r\n{\r\nzz\r\n`],
    [
      400,
      'a length and chunks',
      `POST /graphql ${HTTP}Transfer-Encoding: chunked\r\n${POSTED}`,
    ],
    [431, 'a head above 16 KiB', `GET /healthz ${HTTP}${LONG}\r\n`],
    [431, 'a long trailer', `${CHUNKED}1\r\n{\r\n0\r\n${LONG}\r\n`],
    [400, 'an unknown method', `FOO /graphql ${HTTP}\r\n`],
    [400, 'a TLS handshake', '\u0016\u0003\u0001\u0000\u0010'],
  ])(
    'gets %i in the shape of GraphQL, with all headers, and is counted, if it cannot be served: %s',
    async (status, _what, request) => {
      const { head, body, counted } = await write(request);

      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).toMatch(/\r\nx-request-id: [\w-]{36}(\r\n|$)/i);
      expect(head).toMatch(/\r\ncache-control: no-store(\r\n|$)/i);
      expect(head).toMatch(/\r\nx-content-type-options: nosniff(\r\n|$)/i);
      expect(head).toMatch(/\r\ncontent-type: application\/[\w+-]*json/i);
      const { errors } = JSON.parse(body);
      expect(errors).toHaveLength(1);
      expect(errors[0].message).toMatch(/./);
      expect(errors[0].extensions.code).toMatch(
        /^(BAD_REQUEST|NOT_FOUND|GRAPHQL_PARSE_FAILED)$/,
      );
      expect(Object.keys(counted).join()).toContain(`status="${status}"`);
    },
  );

  test.each([
    [
      'waits for 100 Continue',
      'POST /graphql HTTP/1.1\r\nHost: x\r\nExpect: 100-continue',
    ],
    [
      'speaks HTTP/1.0, which has no Host and no Expect',
      'POST /graphql HTTP/1.0\r\nExpect: x',
    ],
    ['writes the whole address', 'POST http://x/graphql HTTP/1.1\r\nHost: x'],
    ['offers another protocol', 'POST /graphql HTTP/1.1\r\nHost: x\r\nUpgrade: h2c'],
    ['names an empty host', 'POST /graphql HTTP/1.1\r\nHost:'],
    ['names no host', 'POST /graphql HTTP/1.1\r\nHost: ]x['],
  ])('is served if its client %s', async (_, head) => {
    const { answer } = await write(`${head}\r\n${POSTED}`);

    expect(answer).toMatch(/HTTP\/1.1 200 OK\r\n/);
    expect(answer).toMatch(/\{"data":\{"__typename":"Query"\}\}\s*$/);
  });

  const SOCKET = `${HTTP}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`;

  // security: unusual-requests
  test.each([
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['a head above 16 KiB', `GET /healthz ${HTTP}${LONG}\r\n`, 431],
    ['CONNECT', `CONNECT example.com:443 ${HTTP}\r\n`, 404],
    ['a WebSocket', `GET /graphql ${SOCKET}Sec-WebSocket-Version: 13\r\n\r\n`, 101],
    [
      'a WebSocket at /graphql/',
      `GET /graphql/ ${SOCKET}Sec-WebSocket-Version: 13\r\n\r\n`,
      101,
    ],
    ['a WebSocket at a malformed address', `GET /%zz ${SOCKET}\r\n`, 404],
    ['a malformed WebSocket', `GET /graphql ${SOCKET}\r\n`, 400],
    ['a WebSocket elsewhere', `GET /nope ${SOCKET}\r\n`, 404],
  ])('is answered after those before it: %s', async (_, request, status) => {
    await using gateway = await startScripted({
      'DELETE /v1/messages/m1': answering({ status: 204, delayMs: 200 }),
    });
    using connection = await openConnection(gateway.url);
    connection.socket.write(toWholePost(DELETE));
    await expect.poll(() => gateway.service.calls).toHaveLength(1);
    connection.socket.write(`GET /healthz ${HTTP}\r\n${request}`);

    const expected = ['200', '200', `${status}`];
    await expect.poll(connection.statuses).toEqual(expected);
    expect(connection.received()).toContain(
      '{"data":{"deleteMessage":{"deletedMessageId":"m1"}}}',
    );
  });

  test.each([
    ['CONNECT', `CONNECT example.com:443 ${HTTP}\r\n`],
    ['a WebSocket elsewhere', `GET /nope ${SOCKET}\r\n`],
    ['nonsense', 'nonsense\r\n\r\n'],
  ])('cuts off no long answer that is half sent: %s', async (_, request) => {
    await using service = await startLongService();
    await using gateway = await startTestGateway(service.url);
    const socket = connectTo(gateway.url).pause();
    socket.write(toWholePost(LONG_QUERY));
    await once(socket, 'readable');
    socket.write(request);
    const answers = Buffer.concat(await socket.toArray()).toString();

    expect(answers.length).toBeGreaterThan(LONG_ANSWER_BYTES);
    const end = answers.slice(LONG_ANSWER_BYTES);
    expect(end).toMatch(/xxx"\}\}\}\s+0\s+HTTP\/1\.1 40[04] /);
  });

  test('is one error, in however many pieces it comes', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    await using gateway = await startScripted({
      'DELETE /v1/messages/m1': answering({ status: 204, delayMs: 300 }),
    });
    using connection = await openConnection(gateway.url);
    connection.socket.setNoDelay().write(toWholePost(DELETE));
    await expect.poll(() => gateway.service.calls).toHaveLength(1);
    for (let piece = 0; piece < 20; piece += 1) {
      connection.socket.write('nonsense\r\n\r\n');
      await setImmediate();
    }

    await expect.poll(connection.statuses).toEqual(['200', '400']);
    expect(warnings).toEqual([]);
  });

  // security: unusual-requests
  test('is served over the same connection if it offers another protocol, and ends no other', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const plain = `GET /healthz ${HTTP}\r\n`;
    const offering = `GET /healthz ${HTTP}Upgrade: h2c\r\nConnection: upgrade\r\n\r\n`;
    const socket = connectTo(gateway.url);
    onTestFinished(() => void socket.destroy());
    for (const request of [offering, plain, offering, `${offering}${offering}`, plain]) {
      socket.write(request);
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    }

    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  });
});

test.each([['identity'], ['gzip'], ['br']])(
  'a long answer of many alphabets arrives as it is: %s',
  async (encoding) => {
    const message = 'héllo мир 日本 😀 '.repeat(500);
    const { data } = await askOnce(
      '{ message(id: "m1") { message } }',
      { 'GET /v1/messages/m1': wireMessage('m1', { message }) },
      { headers: { 'accept-encoding': encoding } },
    );
    expect(data.message.message).toBe(message);
  },
);
