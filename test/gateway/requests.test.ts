import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

/** Nothing listens there: these requests ask nothing of the service. */
const NOWHERE = 'http://127.0.0.1:1';
const JSON_TYPE = 'application/json';

async function post(
  gateway: TestGateway,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': JSON_TYPE, accept: JSON_TYPE, ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
}

const TYPENAME = '{"data":{"__typename":"Query"}}\n';

test.each([
  'variables=',
  'extensions=',
  'operationName=',
  'variables=&extensions=&operationName=',
])('a GET with an empty parameter, %s, is one without', async (empty) => {
  await using gateway = await startTestGateway(NOWHERE);

  for (const search of [`query={__typename}&${empty}`, `${empty}&query={__typename}`]) {
    const response = await fetch(`${gateway.url}/graphql?${search}`, {
      headers: { authorization: 'Bearer t' },
    });

    expect(await response.text()).toBe(TYPENAME);
  }
});

test('an empty Accept header accepts all', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  expect(await post(gateway, '{"query":"{ __typename }"}', { accept: '' })).toEqual({
    status: 200,
    text: TYPENAME,
  });
});

test.each([
  [
    'bytes that are no UTF-8',
    new Uint8Array(Buffer.from('{"query":"{ __typename } #\xe9"}', 'latin1')),
    JSON_TYPE,
    400,
  ],
  [
    'another charset',
    '{"query":"{ __typename }"}',
    `${JSON_TYPE}; charset=iso-8859-1`,
    415,
  ],
  ['a byte order mark', '\ufeff{"query":"{ __typename }"}', JSON_TYPE, 200],
  [
    'its charset in capitals',
    '{"query":"{ __typename }"}',
    `${JSON_TYPE}; Charset="UTF-8"`,
    200,
  ],
])('a body of %s is %s', async (_what, body, type, status) => {
  await using gateway = await startTestGateway(NOWHERE);

  const answer = await post(gateway, body, { 'content-type': type });

  expect(answer.status).toBe(status);
  if (status !== 200) {
    expect(JSON.parse(answer.text).errors[0].message).toContain('UTF-8');
  }
});

test('a subscription is refused like any other document that does not fit', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const { status, text } = await post(gateway, '{"query":"subscription { a }"}');

  expect(status).toBe(200);
  expect(JSON.parse(text)).not.toHaveProperty('data');
});

test.each([
  [
    'a head above 16 KiB',
    `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
  ],
  ['a method there is not', 'FOO /graphql HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['no HTTP at all', 'hello\r\n\r\n', 400],
])('%s is answered like all else', async (_what, request, status) => {
  await using gateway = await startTestGateway(NOWHERE);
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(request);

  const answer = Buffer.concat(await socket.toArray()).toString();

  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/\r\nx-request-id: [\w-]{36}\r\n/);
  expect(head).toContain('\r\ncache-control: no-store\r\n');
  expect(head).toContain('\r\nx-content-type-options: nosniff\r\n');
  expect(JSON.parse(body).errors[0].extensions.code).toBe('BAD_REQUEST');
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toContain(
    `gateway_http_responses_total{route="none",status="${status}"} 1`,
  );
});

test('a header without a token has nothing to hide', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const { text } = await post(gateway, '{"query":"{ message(id: \\"m1\\") { id } }"}', {
    authorization: 'Bearer ',
  });

  expect(JSON.parse(text).errors[0].message).toBe(
    'This needs the header "Authorization: Bearer <ACCESS_TOKEN>".',
  );
});

test('selections that stand twice mean the same as once, nested ones together', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);

  const answer = await gateway.ask(
    `query ($no: Boolean = false) {
      message(id: "m1") { id contact { id } ...F }
      message(id: "m1") { message id contact { username } ...F ...F @include(if: $no) }
      other: message(id: "m1") { id }
    }
    fragment F on Message { createdAt createdAt }`,
  );

  expect(answer.errors).toBeUndefined();
  expect(answer.data).toEqual({
    message: {
      id: 'm1',
      contact: { id: 'u1', username: 'ann' },
      createdAt: 1700000000,
      message: 'text m1',
    },
    other: { id: 'm1' },
  });
  expect(upstream.calls).toHaveLength(1);
});

test('fields come in the order of the document, fragments in between or not', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);

  const { data } = await gateway.ask(
    `query ($yes: Boolean = true) {
       a: message(id: "m1") { id }
       ...F
       a: message(id: "m1") { readAt }
       a: message(id: "m1") @include(if: $yes) { createdAt }
       a: message(id: "m1") { updatedAt }
     }
     fragment F on Query { a: message(id: "m1") { message } }`,
  );

  expect(Object.keys(data.a)).toEqual([
    'id',
    'message',
    'readAt',
    'createdAt',
    'updatedAt',
  ]);
});

test('twins that do not mean the same are still refused', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const { errors } = await gateway.ask(
    '{ a: message(id: "1") { id } a: message(id: "2") { id } }',
  );

  expect(errors?.[0]?.message).toContain('conflict');
});
