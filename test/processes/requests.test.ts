import { expect, test } from 'vitest';
import { preload } from '../support/command.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { NOWHERE, sendRaw } from '../support/http.ts';

/** Loaded before the gateway: makes the time limits for a request thirty times as short. */
const FAST_CLOCK = preload(`
  import http from 'node:http';
  import { syncBuiltinESMExports } from 'node:module';
  const { createServer } = http;
  http.createServer = (options, handler) => {
    const { headersTimeout = 60_000, requestTimeout = 0 } = options;
    if (requestTimeout > 0) console.error(requestTimeout);
    return createServer({
      ...options,
      headersTimeout: headersTimeout / 30,
      requestTimeout: requestTimeout / 30,
      connectionsCheckingInterval: 20,
    }, handler);
  };
  syncBuiltinESMExports();
`);

// security: slow-loris
test.each([
  ['head', 'POST /graphql HTTP/1.1\r\nHost: x\r\nX-Slow: '],
  [
    'body',
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query"',
  ],
])('a client that never ends its %s gets 408, and delays no other', async (_, half) => {
  await using gateway = await startGatewayProcess(NOWHERE, {}, FAST_CLOCK);

  const slow = sendRaw(gateway.url, half);
  const other = await gateway.ask('{ __typename }');
  const answer = await slow;

  expect(other.status).toBe(200);
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(gateway.errors).toEqual(['30000']);
});
