import { deepEqual, equal, ok } from 'node:assert/strict';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startScene } from './browser-scene.ts';
import { check } from './check.ts';
import { checkExplorer } from './explorer.ts';
import { checkLiveExplorer } from './explorer-live.ts';

/** Checks in a real browser what only browsers enforce (CORS, cross-site forms), and the explorer. */

const SAMPLE_TOKEN = 'ada-sample-token';
const SEND =
  'mutation { sendMessage(input: { conversationId: "conv_lisbon_trip", message: "forged" }) { message { id } } }';

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

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // No check needs the network, and the explorer has to work without it.
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  ],
});
try {
  await checkAll(browser);
} finally {
  await browser.close();
}
