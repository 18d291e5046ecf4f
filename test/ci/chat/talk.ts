import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { check } from '../check.ts';
import { until } from '../replicas/ports.ts';
import type { ChatPage } from './pages.ts';
import { type Served, startScene } from './scene.ts';
import { isVisible, showAll, shows } from './shows.ts';

/** Two pages talk, through lost networks and a killed gateway. */
export async function checkTalk(browser: Browser, served: Served): Promise<void> {
  await check(
    'what one sends the other shows, in order, also twenty in one moment',
    async () => {
      await using scene = await startScene(browser, served);
      const [ada, grace] = await scene.openBoth();
      await ada.write('#hello');
      await showAll([ada, grace], ['#hello']);
      const burst = Array.from({ length: 20 }, (_, index) => `#${index}`);

      for (const text of burst) await ada.write(text);
      await showAll([ada, grace], ['#hello', ...burst]);
      await grace.write('#all there');

      await showAll([ada, grace], ['#hello', ...burst, '#all there']);
      deepEqual([await ada.doubles(), await grace.doubles()], [[], []]);
    },
  );

  await check(
    'nothing is missing and nothing twice after the network of one page was away',
    async () => {
      await using scene = await startScene(browser, served);
      const [ada, grace] = await scene.openBoth();
      await ada.write('#before');
      await showAll([ada, grace], ['#before']);

      await ada.setOffline(true);
      await ada.page.getByText('No connection').waitFor();
      for (const text of ['#one', '#two']) await grace.write(text);
      await shows(grace, ['#before', '#one', '#two']);
      await ada.write('#written without a network');
      await ada.page.getByText('Sending').waitFor();
      await shows(ada, ['#before', '#written without a network']);
      await ada.setOffline(false);

      await showAll(
        [ada, grace],
        ['#before', '#one', '#two', '#written without a network'],
      );
      await ada.page.getByText('No connection').waitFor({ state: 'hidden' });
      await grace.write('#after');
      await showAll(
        [ada, grace],
        ['#before', '#one', '#two', '#written without a network', '#after'],
      );
      deepEqual([await ada.doubles(), await grace.doubles()], [[], []]);
    },
  );

  await check('nor after the gateway was killed, and came back', async () => {
    await using scene = await startScene(browser, served);
    const chats = await scene.openBoth();
    const [ada, grace] = chats;
    await grace.write('#before');
    await showAll(chats, ['#before']);

    await scene.kill();
    for (const { page } of chats) await page.getByText('No connection').waitFor();
    await scene.call('POST', '/messages', {
      conversation_id: 'conv_ada_grace',
      message: '#elsewhere',
    });
    await ada.write('#written without a gateway');
    await scene.startAgain();

    await showAll(chats, ['#before', '#elsewhere', '#written without a gateway']);
    await grace.write('#after');
    await showAll(chats, [
      '#before',
      '#elsewhere',
      '#written without a gateway',
      '#after',
    ]);
    deepEqual([await ada.doubles(), await grace.doubles()], [[], []]);
  });

  await check(
    'reactions, edited and deleted messages show on the other side',
    async () => {
      await using scene = await startScene(browser, served);
      const [ada, grace] = await scene.openBoth();
      await ada.write('#first');
      await ada.write('#second');
      await shows(grace, ['#first', '#second']);

      await grace.choose('#first', '👍');
      const chip = (chat: ChatPage) =>
        chat.page.locator('.message', { hasText: '#first' }).locator('.reactions button');
      await chip(ada).getByText('👍').waitFor();
      equal(await chip(ada).getAttribute('aria-pressed'), 'false');
      await chip(ada).click();
      await chip(grace).getByText('👍 2').waitFor();
      equal(await chip(grace).getAttribute('aria-pressed'), 'true');
      await chip(grace).click();
      await until(
        'one is left',
        async () => (await chip(ada).innerText()).trim() === '👍',
      );

      await ada.choose('#first', 'Edit');
      const editor = ada.page.locator('.message textarea');
      await editor.fill('#first, edited');
      await editor.press('Enter');
      await showAll([ada, grace], ['#first, edited', '#second']);

      await ada.choose('#second', 'Delete');
      await showAll([ada, grace], ['#first, edited']);
    },
  );

  await check(
    'scrolling up reads older messages, to the first one, and keeps the place',
    async () => {
      await using scene = await startScene(browser, served);
      const ada = await scene.open('ada/conv_ada_grace');
      await until('a page is there', async () => (await ada.texts()).length === 20);
      const newest = await ada.texts();

      for (const count of [40, 48]) {
        await ada.page.locator('.scroller .more').scrollIntoViewIfNeeded();
        await until(
          `${count} are there`,
          async () => (await ada.texts()).length === count,
        );
      }

      deepEqual((await ada.texts()).slice(-20), newest);
      ok(!(await isVisible(ada.page, '.scroller .more')));
      await ada.write('#new');
      await shows(ada, ['#new']);
      equal((await ada.texts()).length, 49);
    },
  );
}
