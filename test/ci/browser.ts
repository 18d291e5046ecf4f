// security: csrf
import { deepEqual, equal, ok } from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { type Call, startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway } from '../support/gateway.ts';
import { serve } from '../support/http.ts';
import { check } from './check.ts';
import { launchChromium } from './chromium.ts';
import { checkExplorer } from './explorer.ts';
import { checkLiveExplorer } from './explorer-live.ts';

/** Checks in a real browser what only browsers enforce (CORS, cross-site forms), and the explorer. */

const SAMPLE_TOKEN = 'ada-sample-token';
const SEND =
  'mutation { sendMessage(input: { conversationId: "conv_lisbon_trip", message: "forged" }) { message { id } } }';

/** Diagnostics channel on which Node reports each request that its HTTP servers receive. */
const REQUEST_START = 'http.server.request.start';

/** Serves an empty page; to browsers, `localhost` is another site than the gateway's `127.0.0.1`. */
async function startOtherSite() {
  const site = await serve((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<!doctype html><title>Another site</title>');
  });
  return { ...site, origin: site.url.replace('127.0.0.1', 'localhost') };
}

/** Starts a gateway in front of an embedded service, and opens a page of another site. */
async function startScene(browser: Browser, corsOrigins: (own: string) => string) {
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

/** Returns what a script on the page sees of the response; `refused` if the browser withholds it. */
const askFromScript = (page: Page, endpoint: string) =>
  page.evaluate(
    async ({ endpoint, token }) => {
      try {
        const response = await fetch(endpoint, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            Authorization: `Bearer ${token}`,
          },
          body: JSON.stringify({
            query: '{ conversation(id: "conv_lisbon_trip") { isMuted } }',
          }),
        });
        const { data } = (await response.json()) as { data: unknown };
        return { data, requestId: response.headers.get('x-request-id') };
      } catch {
        return 'refused';
      }
    },
    { endpoint, token: SAMPLE_TOKEN },
  );

/** Submits a form, which needs no preflight; returns the status of the response. */
async function sendForm(page: Page, endpoint: string, form: Form): Promise<number> {
  const arrived = page.waitForResponse(endpoint);
  await page.evaluate(
    ({ endpoint, enctype, name, value }) => {
      // The compiler has no DOM types here.
      const { document } = globalThis as unknown as { document: BrowserDocument };
      document.body.innerHTML = '<form method="post"><input type="hidden"></form>';
      const { 0: sent } = document.forms;
      Object.assign(sent, { action: endpoint, enctype });
      Object.assign(sent.elements[0], { name, value });
      sent.submit();
    },
    { endpoint, ...form },
  );
  return (await arrived).status();
}

interface Form {
  readonly enctype: string;
  readonly name: string;
  readonly value: string;
}

interface BrowserDocument {
  body: { innerHTML: string };
  forms: [{ elements: [object]; submit(): void }];
}

/** The second body, `name=value`, is JSON. */
const FORMS: readonly Form[] = [
  { enctype: 'application/x-www-form-urlencoded', name: 'query', value: SEND },
  { enctype: 'text/plain', name: `{"query":${JSON.stringify(SEND)},"x":"`, value: '"}' },
  { enctype: 'multipart/form-data', name: 'query', value: SEND },
];

async function checkAll(browser: Browser): Promise<void> {
  await check(
    'a script of any origin may read the response and X-Request-Id, after a preflight',
    async () => {
      await using scene = await startScene(browser, () => '*');

      const seen = await askFromScript(scene.page, scene.endpoint);

      ok(seen !== 'refused');
      deepEqual(seen.data, { conversation: { isMuted: false } });
      ok(seen.requestId);
      deepEqual(scene.methods, ['OPTIONS', 'POST']);
    },
  );

  await check('a script of an origin in CORS_ORIGINS may read the response', async () => {
    await using scene = await startScene(browser, (own) => `https://app.example,${own}`);

    const seen = await askFromScript(scene.page, scene.endpoint);

    ok(seen !== 'refused');
    deepEqual(seen.data, { conversation: { isMuted: false } });
  });

  await check(
    'the browser refuses a script of an origin that is not in CORS_ORIGINS',
    async () => {
      await using scene = await startScene(browser, () => 'https://app.example');

      equal(await askFromScript(scene.page, scene.endpoint), 'refused');

      deepEqual(scene.methods, ['OPTIONS']);
      deepEqual(scene.calls, []);
    },
  );

  for (const form of FORMS) {
    await check(`a cross-site form of type ${form.enctype} changes nothing`, async () => {
      await using scene = await startScene(browser, () => '*');

      const status = await sendForm(scene.page, scene.endpoint, form);

      ok(status >= 400 && status < 500, `answered ${status}`);
      deepEqual(scene.methods, ['POST']);
      deepEqual(scene.calls, []);
    });
  }

  await checkExplorer(browser);
  await checkLiveExplorer(browser);
}

const browser = await launchChromium();
try {
  await checkAll(browser);
} finally {
  await browser.close();
}
