import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { type Call, startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway } from '../support/gateway.ts';

/** Diagnostics channel on which Node reports each request that its HTTP servers receive. */
const REQUEST_START = 'http.server.request.start';

/** Serves an empty page; to browsers, `localhost` is another site than the gateway's `127.0.0.1`. */
async function startOtherSite(): Promise<{ origin: string } & AsyncDisposable> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<!doctype html><title>Another site</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Starts a gateway in front of an embedded service, and opens a page of another site. */
export async function startScene(browser: Browser, corsOrigins: (own: string) => string) {
  await using started = new AsyncDisposableStack();
  const calls: Call[] = [];
  const service = started.use(
    await startEmbeddedService({ onCall: (call) => calls.push(call) }),
  );
  const site = started.use(await startOtherSite());
  const gateway = started.use(
    await startTestGateway(service.url, { CORS_ORIGINS: corsOrigins(site.origin) }),
  );
  const page = started.adopt(await browser.newPage(), (opened) => opened.close());
  await page.goto(site.origin);

  const recorded = started.adopt(recordMethods(), ({ stop }) => stop());

  const all = started.move();
  return {
    page,
    calls,
    methods: recorded.methods,
    endpoint: `${gateway.url}/graphql`,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Records the method of every request for /graphql; a preflight is an OPTIONS. */
function recordMethods(): { methods: string[]; stop(): void } {
  const methods: string[] = [];
  const record = (message: unknown) => {
    const { request } = message as { request: IncomingMessage };
    if (request.url === '/graphql') methods.push(`${request.method}`);
  };
  subscribe(REQUEST_START, record);
  return { methods, stop: () => unsubscribe(REQUEST_START, record) };
}
