import { deepEqual } from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { ask } from '../support/gateway.ts';
import { readMetric } from '../support/metrics.ts';
import { check } from './check.ts';
import { openExplorer, runButton } from './explorer.ts';
import { until } from './replicas/ports.ts';

/** Checks subscriptions on the page at /graphql. The browser reaches no other host. */

const VARIABLES = { id: 'conv_ada_grace' };
const SEND = `mutation ($id: ID!, $text: String!) {
  sendMessage(input: { conversationId: $id, message: $text }) { message { id } }
}`;

/** Replaces the text of an editor. */
async function type(page: Page, editor: string, text: string): Promise<void> {
  await page.locator(`.graphiql-${editor} .view-lines`).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
  // The editor has closed brackets by itself.
  await page.keyboard.press('Control+Shift+End');
  await page.keyboard.press('Delete');
}

/** Opens one of the tools below the operation, and replaces its text. */
async function typeJson(page: Page, tool: string, value: object): Promise<void> {
  await page.getByRole('button', { name: tool, exact: true }).click();
  await type(page, 'editor-tool .graphiql-editor:not(.hidden)', JSON.stringify(value));
}

const typeToken = (page: Page, token: string): Promise<void> =>
  typeJson(page, 'Headers', { Authorization: `Bearer ${token}` });

/** Waits until the answer on the page has a text. */
const seesText = (page: Page, text: string): Promise<void> =>
  page.locator('.graphiql-response').getByText(text).first().waitFor({ timeout: 30_000 });

export async function checkLiveExplorer(browser: Browser): Promise<void> {
  await check(
    'the second tab of GraphiQL subscribes with the header that is typed, and shows each event until it is stopped',
    async () => {
      await using explorer = await openExplorer(browser, 'local');
      const { page, url } = explorer;
      const subscriptions = async () =>
        (await readMetric(explorer, 'gateway_live_subscriptions'))[''];
      const send = (text: string) =>
        ask(url, SEND, { token: 'ada-sample-token', variables: { ...VARIABLES, text } });
      await runButton(page).waitFor({ timeout: 60_000 });
      // The editors are there.
      await page.getByText('conversations', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Changes' }).click();
      await page.getByText('subscription', { exact: true }).waitFor();

      await typeToken(page, 'nobody');
      await runButton(page).click();
      await seesText(page, '"UNAUTHENTICATED"');
      await typeToken(page, 'grace-sample-token');
      await runButton(page).click();
      await until('there is a subscription', async () => (await subscriptions()) === 1);
      for (const text of ['Hello from outside', 'And again']) {
        await send(text);
        await seesText(page, `"${text}"`);
      }
      await page.getByRole('button', { name: /^Stop/ }).click();
      await until('there is none', async () => (await subscriptions()) === 0);

      deepEqual([...explorer.origins], [url]);
      deepEqual(explorer.errors, []);
    },
  );
}
