// security: script
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { startGatewayCommand } from '../../src/commands.ts';
import { OPERATIONS } from '../../src/messaging/examples.ts';
import { SANDBOX } from '../../src/operation/explorer-page.ts';
import { check } from './check.ts';

/** Checks of the page at /graphql. The browser reaches no other host; what Apollo serves is played here. */

const SAMPLE_TOKEN = 'ada-sample-token';
const TABS = ['Inbox', 'Changes', 'Send'];
const FIRST_OPERATION_RUNS = '"id": "conv_lisbon_trip"';

/** What a host of Apollo's answers: nothing at all, an error, or a text. */
type Answer = 'silence' | 'error' | { readonly type: string; readonly text: string };

/** A script with the interface of Sandbox, which shows the frame below. */
const SCRIPT: Answer = {
  type: 'text/javascript',
  text: `window.EmbeddedSandbox = class {
    constructor(options) {
      window.sandboxOptions = options;
      this.embeddedSandboxIFrameElement = document.createElement('iframe');
      this.embeddedSandboxIFrameElement.src = '${SANDBOX.frames}/sandbox/explorer';
      options.target.append(this.embeddedSandboxIFrameElement);
    }
    dispose() { this.embeddedSandboxIFrameElement.remove(); }
  };`,
};
const FRAME: Answer = {
  type: 'text/html',
  text: `<h1>Sandbox</h1><script>parent.postMessage({ name: 'ExplorerListeningForHandshake' }, '*')</script>`,
};

/** Where Sandbox cannot be shown. */
const FALLBACKS: readonly (readonly [where: string, script: Answer])[] = [
  ['there is no network', 'error'],
  ['the network swallows what is sent', 'silence'],
  ['the script of Sandbox arrives, but not its frame', SCRIPT],
];

export async function openExplorer(
  browser: Browser,
  explorer: string,
  { script = 'error', frame = 'error' }: { script?: Answer; frame?: Answer } = {},
) {
  await using started = new AsyncDisposableStack();
  const env = { PORT: '0', LOG_LEVEL: 'silent', EXPLORER: explorer };
  const { lines, stop } = await startGatewayCommand(env);
  started.defer(stop);
  const url = lines[0]?.split(' ').at(-1) ?? '';
  const page = started.adopt(await browser.newPage(), (opened) => opened.close());
  /** The origins that the page asked. */
  const origins = new Set<string>();
  /** Violations of the page's policy, and errors of its scripts. */
  const errors: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:') origins.add(origin);
  });
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) errors.push(message.text());
  });
  await page.route(`${SANDBOX.scripts}/**`, (route) => answer(route, script));
  await page.route(`${SANDBOX.frames}/**`, (route) => answer(route, frame));
  await page.goto(`${url}/`, { waitUntil: 'commit' });

  const all = started.move();
  return { page, url, origins, errors, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

type Explorer = Awaited<ReturnType<typeof openExplorer>>;

async function answer(route: Route, given: Answer): Promise<void> {
  if (given === 'error') return route.abort('internetdisconnected');
  if (given !== 'silence')
    return route.fulfill({ contentType: given.type, body: given.text });
}

export const runButton = (page: Page) => page.getByRole('button', { name: /^Execute/ });

/** Runs the operation that is shown, and waits for a text in its answer. */
async function runFirstOperation({ page }: Explorer): Promise<void> {
  await runButton(page).click();
  await page
    .locator('.graphiql-response')
    .getByText(FIRST_OPERATION_RUNS)
    .waitFor({ timeout: 30_000 });
}

/** The text of an editor as the screen shows it; its spaces are no plain ones. */
const shownIn = async (page: Page, editor: string): Promise<string> =>
  ((await page.locator(`.graphiql-${editor}`).innerText()) ?? '').replace(/\s/g, ' ');

async function expectGraphiql(explorer: Explorer): Promise<void> {
  const { page, url, errors } = explorer;
  await runButton(page).waitFor({ timeout: 60_000 });
  equal(page.url(), `${url}/graphql`);
  await page.getByText('conversations', { exact: true }).waitFor();
  await page.getByText(`"Bearer ${SAMPLE_TOKEN}"`).waitFor();
  await runFirstOperation(explorer);
  match(await shownIn(page, 'query-editor'), /query Inbox/);
  deepEqual(await page.getByRole('tab').allInnerTexts(), TABS);
  deepEqual(errors, []);
}

export async function checkExplorer(browser: Browser): Promise<void> {
  await check(
    'EXPLORER=local shows GraphiQL, which asks no other host, keeps the policy of its page, has its header after a reload, and stores no token',
    async () => {
      await using explorer = await openExplorer(browser, 'local');
      await expectGraphiql(explorer);

      await explorer.page.reload();

      await expectGraphiql(explorer);
      deepEqual([...explorer.origins], [explorer.url]);
      const stored = await explorer.page.evaluate('JSON.stringify(localStorage)');
      match(`${stored}`, /query Inbox/);
      ok(!`${stored}`.includes(SAMPLE_TOKEN), 'the token was stored');
    },
  );

  await check(
    'GraphiQL shows descriptions, and those under the mouse, at once',
    async () => {
      await using explorer = await openExplorer(browser, 'local');
      const { page } = explorer;
      await runButton(page).waitFor({ timeout: 60_000 });
      const isShown = async (description: Locator) => {
        await description.waitFor();
        return description.evaluate((shown) => {
          const { opacity } = shown.ownerDocument.defaultView.getComputedStyle(shown);
          return opacity === '1';
        });
      };

      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      const docs = page.locator('.graphiql-doc-explorer');
      ok(await isShown(docs.getByText('A GraphQL schema provides a root type')));
      const { width = 0 } = (await docs.boundingBox()) ?? {};
      ok(width > 400, `the documentation is ${width} pixels wide`);
      await docs.getByRole('link', { name: 'Query', exact: true }).click();
      ok(await isShown(docs.getByText('Where every read begins.')));
      const word = page.locator('.view-line').getByText('conversations', { exact: true });
      const hover = page.locator('.monaco-hover p').getByText('Your conversations');
      // Until its language service has started, the editor knows no descriptions, and asks again only when the mouse comes again.
      for (let times = 0; times < 20 && !(await hover.isVisible()); times += 1) {
        await page.mouse.move(0, 0);
        await word.hover();
        await hover.waitFor({ timeout: 3000 }).catch(() => {});
      }
      ok(await isShown(hover));
    },
  );

  await check(
    'GraphiQL explains the code of an error, and opens a link to an operation in a tab of its own',
    async () => {
      await using explorer = await openExplorer(browser, 'local');
      const { page, url } = explorer;
      const variables = JSON.stringify({ id: 'nothing' });
      const query =
        'mutation Remove($id: ID!) { deleteMessage(input: { id: $id }) { deletedMessageId } }';
      await expectGraphiql(explorer);

      await page.goto(`${url}/graphql?${new URLSearchParams({ query, variables })}`);
      await page.getByText('deleteMessage', { exact: true }).waitFor();
      await runButton(page).click();
      const help = page.locator('.graphiql-footer').getByText('NOT_FOUND: a mutation');
      await help.waitFor({ timeout: 30_000 });
      await page.getByRole('button', { name: 'Copy a link' }).click();

      const shared = new URL(page.url()).searchParams;
      deepEqual(Object.fromEntries(shared), { query, variables });
      deepEqual(await page.getByRole('tab').allInnerTexts(), [...TABS, 'Remove']);
      deepEqual(explorer.errors, []);
    },
  );

  await check(
    'the policy of the page stops scripts that are not its own, and eval',
    async () => {
      await using explorer = await openExplorer(browser, 'local');
      const { page, errors } = explorer;
      await expectGraphiql(explorer);

      // With `evaluate` alone, the browser's debugger would allow eval.
      await page.evaluate(
        `setTimeout(() => eval('window.evaluated = true'));
       const inline = document.createElement('script');
       inline.text = 'window.inlined = true';
       document.body.append(inline);
       const foreign = document.createElement('script');
       foreign.src = 'https://elsewhere.example/x.js';
       document.body.append(foreign);
       document.body.insertAdjacentHTML('beforeend', '<img src="https://elsewhere.example/x.png" onerror="window.handled = true">')`,
      );

      const kinds = [/eval/, /inline script/, /inline event/, /x\.js/, /x\.png/];
      const isStopped = (kind: RegExp) =>
        errors.some((one) => kind.test(one) && one.includes('Content Security Policy'));
      for (let looks = 0; looks < 200 && !kinds.every(isStopped); looks += 1) {
        await page.waitForTimeout(50);
      }
      deepEqual(
        kinds.filter((kind) => !isStopped(kind)),
        [],
      );
      const ran = await page.evaluate(
        '[window.evaluated, window.inlined, window.handled]',
      );
      deepEqual(ran, [undefined, undefined, undefined]);
    },
  );

  for (const [where, script] of FALLBACKS) {
    await check(`EXPLORER=sandbox shows GraphiQL by itself where ${where}`, async () => {
      await using explorer = await openExplorer(browser, 'sandbox', { script });
      if (script === 'silence')
        await explorer.page.getByText('Loading ...', { exact: true }).waitFor();

      await expectGraphiql(explorer);

      equal(await explorer.page.locator('iframe').count(), 0);
    });
  }

  await check(
    'Sandbox stays where it can be loaded, with the operation and the header',
    async () => {
      await using explorer = await openExplorer(browser, 'sandbox', {
        script: SCRIPT,
        frame: FRAME,
      });
      const { page, url } = explorer;

      await page.frameLocator('iframe').getByText('Sandbox').waitFor();
      // Longer than the page waits for a frame that says nothing.
      await page.waitForTimeout(6000);

      equal(await page.locator('iframe').count(), 1);
      equal(await runButton(page).count(), 0);
      const options = await page.evaluate(
        '({ ...window.sandboxOptions, target: window.sandboxOptions.target.id })',
      );
      deepEqual(options, {
        target: 'explorer',
        initialEndpoint: `${url}/graphql`,
        endpointIsEditable: false,
        runTelemetry: false,
        hideCookieToggle: false,
        allowDynamicStyles: false,
        initialState: {
          document: OPERATIONS.map(({ document }) => document).join('\n'),
          variables: Object.assign({}, ...OPERATIONS.map(({ variables }) => variables)),
          sharedHeaders: { Authorization: `Bearer ${SAMPLE_TOKEN}` },
          includeCookies: false,
          pollForSchemaUpdates: false,
        },
      });
      deepEqual(explorer.errors, []);
    },
  );
}
