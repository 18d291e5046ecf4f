import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { run, toAddress } from '../support/command.ts';

/** Loaded before the gateway: the time a request may take to arrive passes thirty times as fast. */
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

const HALF_A_HEAD = 'POST /graphql HTTP/1.1\r\nHost: x\r\nX-Slow: ';
const HALF_A_BODY =
  'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query"';

test.each([
  ['head', HALF_A_HEAD],
  ['body', HALF_A_BODY],
])(
  'a client that never ends its %s is sent away after 30 seconds, and others are served',
  async (_part, half) => {
    await using gateway = run(['--import', FAST_CLOCK, 'bin/messaging-graphql.js']);
    const { hostname, port, href } = new URL(toAddress(await gateway.first()));
    const slow = connect(Number(port), hostname);
    slow.write(half);
    const began = performance.now();

    const other = await fetch(`${href}graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ __typename }"}',
    });
    const answer = Buffer.concat(await slow.toArray()).toString();
    const seconds = (performance.now() - began) / 1000;

    expect(other.status).toBe(200);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(seconds * 30).toBeLessThan(57);
  },
);
