import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
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

/** Loaded before the gateway: makes the time limits for a request thirty times as short. */
const FAST_CLOCK = `data:text/javascript,${encodeURIComponent(`
  import http from 'node:http';
  const { createServer } = http;
  http.createServer = (options, handler) => {
    const headersTimeout = (options?.headersTimeout ?? 60_000) / 30;
    const server = createServer(
      { ...options, headersTimeout, connectionsCheckingInterval: 20 },
      handler,
    );
    let timeout = 0;
    return Object.defineProperty(server, 'requestTimeout', {
      get: () => timeout,
      set(milliseconds) { timeout = milliseconds / 30; },
    });
  };
`)}`;

test.each([
  ['head', 'POST /graphql HTTP/1.1\r\nHost: x\r\nX-Slow: '],
  [
    'body',
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query"',
  ],
])(
  'a client that never ends its %s gets 408 after 30 seconds, and delays no other',
  async (_part, half) => {
    await using gateway = await startGatewayProcess(NOWHERE, {}, [
      '--import',
      FAST_CLOCK,
    ]);
    const began = performance.now();

    const slow = sendRaw(gateway.url, half);
    const other = await gateway.ask('{ __typename }');
    const answer = await slow;
    const seconds = ((performance.now() - began) / 1000) * 30;

    expect(other.status).toBe(200);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(seconds).toBeLessThan(57);
  },
);
