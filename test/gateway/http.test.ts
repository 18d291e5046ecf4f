import { describe, expect, test } from 'vitest';
import { type GraphqlAnswer, startTestGateway } from '../support/gateway.ts';
import { NOWHERE, post } from '../support/http.ts';
import { readMetric } from '../support/metrics.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';
const TYPENAME = { query: '{ __typename }' };
const DELETE = 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }';

describe('a request error', () => {
  test.each([
    ['a syntax error', { query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    [
      'more than 10,000 tokens',
      { query: `{ ${'__typename '.repeat(10_001)} }` },
      'GRAPHQL_PARSE_FAILED',
    ],
    [
      'more than thirty levels',
      { query: `${'{ a '.repeat(31)} ${'}'.repeat(31)}` },
      'DOCUMENT_TOO_DEEP',
    ],
    ['an unknown field', { query: '{ nope }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a subscription that accepts no stream',
      { query: 'subscription { conversationChanged { kind } }' },
      'BAD_REQUEST',
    ],
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
    'is 400, or 200 for a client that accepts application/json only: %s',
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

  test.each<[what: string, body: unknown, expected?: BadRequest]>([
    ['JSON cut short', '{"query":'],
    ['no body', ''],
    ['a list of operations', [TYPENAME], { message: 'batching disabled' }],
    ['no query', {}],
    ['a misspelt query', { qeury: '{ __typename }' }],
    ['an empty query', { query: '' }],
    [
      'a persisted query of an unknown version',
      { extensions: { persistedQuery: { version: 2, sha256Hash: 'x' } } },
    ],
    [
      'a persisted query that is not what its hash says',
      { ...TYPENAME, extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
    ],
    ['a query that is a number', { query: 7 }],
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
      new Uint8Array(Buffer.from('{"query":"{ __typename } #\xe9"}', 'latin1')),
      { message: 'UTF-8' },
    ],
    [
      'another charset',
      JSON.stringify(TYPENAME),
      { type: `${JSON_TYPE}; charset=iso-8859-1`, status: 415, message: 'UTF-8' },
    ],
  ])(
    'is 4xx for every client if the body is not a GraphQL request: %s',
    async (_what, body, { type = JSON_TYPE, status = 400, message = '' } = {}) => {
      await using gateway = await startTestGateway(NOWHERE);

      const response = await post(gateway.url, body, {
        accept: JSON_TYPE,
        'content-type': type,
      });

      expect(response.status).toBe(status);
      const { errors: [error] = [] } = (await response.json()) as GraphqlAnswer;
      expect(error?.message).not.toBe('');
      expect(error?.message).toContain(message);
      expect(error?.extensions.code).toBe('BAD_REQUEST');
    },
  );

  test('is 405 for other methods, and for a mutation by GET', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const headers = { authorization: 'Bearer t', 'content-type': JSON_TYPE };

    const put = await fetch(`${gateway.url}/graphql`, {
      method: 'PUT',
      body: JSON.stringify(TYPENAME),
      headers,
    });
    const get = await fetch(
      `${gateway.url}/graphql?query=${encodeURIComponent(DELETE)}`,
      { headers },
    );

    expect([put.status, get.status]).toEqual([405, 405]);
    expect(put.headers.get('allow')).toBe('GET, POST');
  });

  test.each([
    ['PUT', {}],
    ['PUT', { 'content-type': 'text/plain' }],
    ['PATCH', { 'content-type': JSON_TYPE }],
    ['DELETE', {}],
    ['HEAD', {}],
  ])('is 405 for %s, whatever else is wrong with it: %j', async (method, headers) => {
    await using gateway = await startTestGateway(NOWHERE);
    const body = method === 'HEAD' ? null : 'x';

    const response = await fetch(`${gateway.url}/graphql`, { method, headers, body });

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST');
    if (method === 'HEAD') return;
    expect(await response.json()).toEqual({
      errors: [
        {
          message: 'Send the operation as a POST, or a query as a GET.',
          extensions: { code: 'BAD_REQUEST' },
        },
      ],
    });
  });

  test('has the same shape outside GraphQL, and never quotes the request', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const responses = await Promise.all([
      fetch(`${gateway.url}/%zzsecret`),
      post(gateway.url, '{}', { 'content-encoding': 'secret' }),
      post(gateway.url, '{"secret"'),
      fetch(`${gateway.url}/v1/secret`),
    ]);

    const codes = [];
    for (const { status, headers, text } of await Promise.all(responses.map(read))) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-request-id')).not.toBeNull();
      expect(text).not.toContain('secret');
      codes.push([status, JSON.parse(text).errors[0].extensions.code]);
    }
    expect(codes).toEqual([
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

const read = async (response: Response) => ({
  status: response.status,
  headers: response.headers,
  text: await response.text(),
});

test('a mutation is not carried out for a client that cannot read the response', async () => {
  await using upstream = await startUpstream({
    'DELETE /v1/messages/m1': answering({ status: 204 }),
  });
  await using gateway = await startTestGateway(upstream.url);

  const response = await post(
    gateway.url,
    { query: DELETE },
    { accept: 'text/csv', authorization: 'Bearer t' },
  );

  expect(response.status).toBe(406);
  expect(upstream.calls).toEqual([]);
});

test('a GET needs the Authorization header, and no other', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);
  const url = `${gateway.url}/graphql?query=${encodeURIComponent('{ message(id: "m1") { id } }')}`;

  const simple = await fetch(url);
  const authorized = await fetch(url, { headers: { authorization: 'Bearer ann-token' } });

  expect(simple.status).toBe(400);
  expect(await simple.json()).toEqual({
    errors: [
      {
        message: expect.stringMatching(
          /^[^\n]*"Authorization: Bearer <ACCESS_TOKEN>"[^\n]*$/,
        ),
        extensions: { code: 'BAD_REQUEST' },
      },
    ],
  });
  expect(await authorized.json()).toEqual({ data: { message: { id: 'm1' } } });
  expect(upstream.calls).toHaveLength(1);
});

test('a GET without a token may send the other header that the refusal names', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const response = await fetch(`${gateway.url}/graphql?query={__typename}`, {
    headers: { 'apollo-require-preflight': 'true' },
  });

  expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
});

test('/graphql/ works as /graphql does', async () => {
  await using gateway = await startTestGateway(NOWHERE);
  const headers = { 'content-type': JSON_TYPE, authorization: 'Bearer t' };
  const url = `${gateway.url}/graphql/`;

  const posted = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(TYPENAME),
  });
  const got = await fetch(`${url}?query={__typename}`, { headers });
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  const put = await fetch(url, { method: 'PUT', headers, body: '{}' });

  expect(await posted.json()).toEqual({ data: { __typename: 'Query' } });
  expect(await got.json()).toEqual({ data: { __typename: 'Query' } });
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(put.status).toBe(405);
  expect(await readMetric(gateway, 'gateway_http_responses_total')).toMatchObject({
    '{route="/graphql",status="200"}': 3,
  });
});

test('an Authorization header with an empty token counts as none', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const { errors } = await gateway.ask('{ message(id: "m1") { id } }', {
    headers: { authorization: 'Bearer ' },
  });

  expect(errors?.[0]?.message).toBe(
    'Missing token: send the header "Authorization: Bearer <ACCESS_TOKEN>".',
  );
});

test.each([
  'variables=',
  'extensions=',
  'operationName=',
  'variables=&extensions=&operationName=',
])('an empty parameter of a GET counts as left out: %s', async (empty) => {
  await using gateway = await startTestGateway(NOWHERE);

  for (const search of [`query={__typename}&${empty}`, `${empty}&query={__typename}`]) {
    const response = await fetch(`${gateway.url}/graphql?${search}`, {
      headers: { authorization: 'Bearer t' },
    });

    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  }
});

test.each([
  ['an empty Accept header', '{"query":"{ __typename }"}', { accept: '' }],
  ['a byte order mark', '\ufeff{"query":"{ __typename }"}', {}],
  [
    'the charset in capitals',
    '{"query":"{ __typename }"}',
    { 'content-type': `${JSON_TYPE}; Charset="UTF-8"` },
  ],
])('a request may have %s', async (_what, body, headers) => {
  await using gateway = await startTestGateway(NOWHERE);

  const response = await post(gateway.url, body, headers);

  expect(response.status).toBe(200);
  expect(await response.text()).toBe('{"data":{"__typename":"Query"}}\n');
});

test.each([
  ['application/json; charset=utf-8', 200, JSON_TYPE],
  [
    'application/graphql-response+json;charset=utf-8, application/json;q=0.5',
    400,
    'graphql-response',
  ],
  ['text/html, application/json;charset=utf-8;q=0.9', 200, JSON_TYPE],
])('an Accept header may name the charset: %s', async (accept, status, type) => {
  await using gateway = await startTestGateway(NOWHERE);

  const good = await post(gateway.url, TYPENAME, { accept });
  const bad = await post(gateway.url, { query: '{ nope }' }, { accept });

  expect(good.status).toBe(200);
  expect(bad.status).toBe(status);
  expect(bad.headers.get('content-type')).toContain(type);
});
