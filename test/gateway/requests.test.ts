import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE, sendRaw } from '../support/http.ts';
import { readMetric } from '../support/metrics.ts';

test.each([
  ['missing, as in HTTP/1.0', 'POST /graphql HTTP/1.0'],
  ['empty', 'POST /graphql HTTP/1.1\r\nHost:'],
  ['two words', 'POST /graphql HTTP/1.1\r\nHost: a b'],
  ['half of an IPv6 address', 'POST /graphql HTTP/1.1\r\nHost: ]x['],
])('no Host header makes the gateway fail: %s', async (_what, head) => {
  await using gateway = await startTestGateway(NOWHERE);

  const answer = await sendRaw(
    gateway.url,
    `${head}\r\nContent-Type: application/json\r\nContent-Length: 26\r\nConnection: close\r\n\r\n{"query":"{ __typename }"} `,
  );

  expect(answer).toMatch(/^HTTP\/1.1 [24]\d\d /);
});

test.each([
  [
    'a head above 16 KiB',
    `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
  ],
  ['an unknown method', 'FOO /graphql HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['text that is not HTTP', 'hello\r\n\r\n', 400],
])(
  '%s is answered in the shape of GraphQL, with all headers, and counted',
  async (_what, request, status) => {
    await using gateway = await startTestGateway(NOWHERE);

    const answer = await sendRaw(gateway.url, request);

    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/\r\nx-request-id: [\w-]{36}\r\n/);
    expect(head).toContain('\r\ncache-control: no-store\r\n');
    expect(head).toContain('\r\nx-content-type-options: nosniff\r\n');
    expect(JSON.parse(body).errors[0].extensions.code).toBe('BAD_REQUEST');
    expect(await readMetric(gateway, 'gateway_http_responses_total')).toMatchObject({
      [`{route="none",status="${status}"}`]: 1,
    });
  },
);

const BODY = '{"query":"{ __typename }"}';
const POSTED = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`;
const CLOSE = 'Connection: close\r\n\r\n';
const CHUNKED = `Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${CLOSE}`;

test.each([
  [
    'an unknown expectation',
    `POST /graphql HTTP/1.1\r\nHost: x\r\nExpect: x\r\n${POSTED}`,
    417,
  ],
  ['no Host', `POST /graphql HTTP/1.1\r\n${POSTED}`, 400],
  ['no Host, elsewhere', `GET /nothing HTTP/1.1\r\n${CLOSE}`, 400],
  ['OPTIONS', `OPTIONS /graphql HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 400],
  [
    'OPTIONS with an Origin alone',
    `OPTIONS /graphql HTTP/1.1\r\nHost: x\r\nOrigin: http://a\r\n${CLOSE}`,
    400,
  ],
  ['OPTIONS of everything', `OPTIONS * HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 400],
  ['OPTIONS with a body', `OPTIONS /nothing HTTP/1.1\r\nHost: x\r\n${POSTED}`, 400],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 404],
  ['TRACE', `TRACE /graphql HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 405],
  ['PROPFIND', `PROPFIND /graphql HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 405],
  ['PUT', `PUT /graphql HTTP/1.1\r\nHost: x\r\n${POSTED}`, 405],
  ['an address with two slashes', `POST //graphql HTTP/1.1\r\nHost: x\r\n${POSTED}`, 404],
  [
    'an address that is not percent-encoded',
    `GET /%zz HTTP/1.1\r\nHost: x\r\n${CLOSE}`,
    400,
  ],
  [
    'a query that is not percent-encoded',
    `GET /graphql?query=%ff HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n${CLOSE}`,
    400,
  ],
  [
    'an absolute address that is none',
    `GET http://[/healthz HTTP/1.1\r\nHost: x\r\n${CLOSE}`,
    400,
  ],
  ['a relative address', `GET graphql HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 400],
  ['a chunk without a length', `POST /graphql HTTP/1.1\r\n${CHUNKED}zz\r\n`, 400],
  [
    'a chunk without a length behind another',
    `POST /graphql HTTP/1.1\r\n${CHUNKED}1\r\n{\r\nzz\r\n`,
    400,
  ],
  [
    'a length and chunks',
    `POST /graphql HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${POSTED}`,
    400,
  ],
  [
    'two lengths',
    `POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n${POSTED}`,
    400,
  ],
  [
    'a long trailer',
    `POST /graphql HTTP/1.1\r\n${CHUNKED}1\r\n{\r\n0\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
  ],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['HTTP/3', `GET /healthz HTTP/3.0\r\nHost: x\r\n${CLOSE}`, 400],
  ['a TLS handshake', '\u0016\u0003\u0001\u0000\u0010', 400],
])(
  'a request that cannot be served gets an error in the shape of GraphQL, with all headers: %s',
  async (_what, request, status) => {
    await using gateway = await startTestGateway(NOWHERE);

    const answer = await sendRaw(gateway.url, request);

    const [head = '', body = ''] = answer.split('\r\n\r\n');
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
  },
);

test.each([
  ['waits for 100 Continue', 'POST /graphql HTTP/1.1\r\nHost: x\r\nExpect: 100-continue'],
  [
    'speaks HTTP/1.0, which has no Host and no Expect',
    'POST /graphql HTTP/1.0\r\nExpect: x',
  ],
  ['writes the whole address', 'POST http://x/graphql HTTP/1.1\r\nHost: x'],
  ['offers another protocol', 'POST /graphql HTTP/1.1\r\nHost: x\r\nUpgrade: h2c'],
])('a client is served that %s', async (_what, head) => {
  await using gateway = await startTestGateway(NOWHERE);

  const answer = await sendRaw(gateway.url, `${head}\r\n${POSTED}`);

  expect(answer).toMatch(/HTTP\/1.1 200 OK\r\n/);
  expect(answer).toMatch(/\{"data":\{"__typename":"Query"\}\}\s*$/);
});
