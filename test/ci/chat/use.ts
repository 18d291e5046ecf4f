import { equal, ok } from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { check } from '../check.ts';
import { type Served, startScene } from './scene.ts';
import { isVisible, shows } from './shows.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Whether the page is darker than its text. */
const isDark = (page: Page) =>
  page.evaluate(`(() => {
    const { backgroundColor, color } = getComputedStyle(document.documentElement);
    const light = (text) => text.match(/\\d+/g).slice(0, 3).reduce((sum, one) => sum + Number(one), 0);
    return light(backgroundColor) < light(color);
  })()`);

/** The conversation of this name in the inbox. */
const rowOf = (page: Page, name: string) =>
  page.locator('.row', {
    has: page.locator('strong', { hasText: new RegExp(`^${name}$`) }),
  });

/** One page: its inbox, the keyboard, a phone, colours, errors. */
export async function checkUse(browser: Browser, served: Served): Promise<void> {
  await check(
    'a new message moves its conversation up in the inbox, and counts until it is read',
    async () => {
      await using scene = await startScene(browser, served);
      const ada = await scene.open('ada');
      const row = rowOf(ada.page, 'grace');
      const count = async () =>
        Number((await row.locator('.badge').allInnerTexts())[0] ?? 0);
      const before = await count();
      await scene.call('POST', '/messages', {
        conversation_id: 'conv_ada_grace',
        message: '#ping',
      });

      await row.getByText('#ping').waitFor();
      equal(await count(), before + 1);
      await row.click();
      await row.locator('.badge').waitFor({ state: 'detached' });
    },
  );

  await check(
    'a conversation is pinned, muted and archived, and found in the archive',
    async () => {
      await using scene = await startScene(browser, served);
      const ada = await scene.open('ada/conv_ada_grace');
      const { page } = ada;
      const row = page.locator('.row[aria-current=page]');
      for (const [name, mark] of [
        ['Pin', 'pinned'],
        ['Mute', 'muted'],
      ] as const) {
        await page.getByTitle(name, { exact: true }).click();
        await row.getByLabel(mark).waitFor();
      }

      await page.getByTitle('Archive', { exact: true }).click();
      await row.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Archive', pressed: false }).click();
      await row.waitFor();
    },
  );

  await check(
    'the keyboard alone chooses a conversation, sends, and reacts',
    async () => {
      await using scene = await startScene(browser, served);
      const ada = await scene.open('ada');
      const { page } = ada;
      const focused = () => page.evaluate('document.activeElement.innerText');
      await page.keyboard.press('Tab');
      for (let tabs = 0; tabs < 20 && !(await isVisible(page, '.row:focus')); tabs += 1)
        await page.keyboard.press('Tab');
      for (let rows = 0; rows < 20 && !`${await focused()}`.includes('grace'); rows += 1)
        await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.locator('.composer textarea:focus').waitFor();

      await page.keyboard.type('#typed');
      await page.keyboard.press('Enter');
      await shows(ada, ['#typed']);
      await page.locator('.message .dots').last().waitFor();
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      await page.locator('.menu:popover-open').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('.message').last().getByText('❤️').first().waitFor();
    },
  );

  await check(
    'on a phone, the inbox and a conversation have the screen in turn',
    async () => {
      await using scene = await startScene(browser, served);
      const ada = await scene.open('ada', PHONE);
      const { page } = ada;
      ok(!(await isVisible(page, '.pane')));

      await rowOf(page, 'grace').tap();
      await page.locator('.bubble').last().waitFor();
      ok(!(await isVisible(page, '.inbox')));
      const width = await page.evaluate('document.documentElement.scrollWidth');
      equal(width, PHONE.viewport.width);
      await ada.write('#from a phone');
      await shows(ada, ['#from a phone']);
      await page.getByLabel('Back to the inbox').tap();
      await page.locator('.inbox').waitFor();
      await page.getByText('#from a phone').waitFor();
    },
  );

  await check('it is light or dark as the device is, or as is chosen', async () => {
    await using scene = await startScene(browser, served);
    for (const colorScheme of ['light', 'dark'] as const) {
      const ada = await scene.open('ada', { colorScheme });
      equal(await isDark(ada.page), colorScheme === 'dark');
      await ada.page.getByLabel('Light or dark').check({ force: true });
      equal(await isDark(ada.page), colorScheme === 'light');
    }
  });

  await check('ada and grace change places in one page', async () => {
    await using scene = await startScene(browser, served);
    const chat = await scene.open('ada/conv_ada_grace');
    await chat.write('#from ada');
    await shows(chat, ['#from ada']);

    await chat.page.getByRole('link', { name: 'grace', exact: true }).first().click();
    await chat.page.locator('.row', { hasText: '#from ada' }).click();
    await shows(chat, ['#from ada']);
    equal(await chat.page.locator('.message.mine', { hasText: '#from ada' }).count(), 0);
  });

  await check('a message that cannot be sent says why, and what to do', async () => {
    await using scene = await startScene(browser, served);
    const ada = await scene.open('ada/conv_ada_grace');
    // It is shown before it is sent.
    const sent = ada.page.waitForResponse(
      (response) => response.request().postData()?.includes('#before') === true,
    );
    await ada.write('#before');
    await sent;
    await shows(ada, ['#before']);
    await scene.call('DELETE', '/conversations/conv_ada_grace');

    await ada.write('#too late');

    const unsent = ada.page.locator('.unsent');
    await unsent
      .getByText('Not sent. Somebody has deleted it. Go back to the inbox.')
      .waitFor();
    // Not what is shown before it is sent again: that is gone in a moment.
    const refusedAgain = ada.page.waitForResponse(
      (response) => response.request().postData()?.includes('#too late') === true,
    );
    await unsent.getByText('Send again').click();
    await refusedAgain;
    await unsent.getByText('Discard').click();
    await unsent.waitFor({ state: 'detached' });
  });
}
