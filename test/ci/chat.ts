/**
 * Lets two pages of examples/chat talk in a real browser, through lost networks and a killed gateway.
 *
 *     npx --no -- node test/ci/chat.ts pictures   # also takes those of the README; Inter and Noto Color Emoji should be installed
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { run, toAddress } from '../support/command.ts';
import { copyRepository } from '../support/copy-repository.ts';
import { ask } from '../support/gateway.ts';
import type { ChatPage } from './chat/pages.ts';
import { takePictures } from './chat/pictures.ts';
import { type Served, serveChat, startScene } from './chat/scene.ts';
import { check } from './check.ts';
import { launchChromium } from './chromium.ts';
import { until } from './replicas/ports.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Waits until a page shows exactly these of its own texts, in this order. They begin with #; those of the sample data do not. */
const shows = (chat: ChatPage, own: readonly string[]) =>
  until(
    `the page shows ${own}`,
    async () =>
      (await chat.texts()).filter((text) => text.startsWith('#')).join() === own.join(),
  ).catch(async () =>
    deepEqual(
      (await chat.texts()).filter((text) => text.startsWith('#')),
      own,
    ),
  );

const showAll = (chats: readonly ChatPage[], own: readonly string[]) =>
  Promise.all(chats.map((chat) => shows(chat, own)));

const isVisible = (page: Page, selector: string) => page.locator(selector).isVisible();

/** Whether the page is darker than its text. */
const isDark = (page: Page) =>
  page.evaluate(`(() => {
    const { backgroundColor, color } = getComputedStyle(document.documentElement);
    const light = (text) => text.match(/\\d+/g).slice(0, 3).reduce((sum, one) => sum + Number(one), 0);
    return light(backgroundColor) < light(color);
  })()`);

async function checkStart(browser: Browser, copy: string): Promise<void> {
  await check(
    'npm run chat installs the packages, serves page and gateway at one address, and Ctrl-C ends it',
    async () => {
      await using chat = run(
        ['run', 'chat', '--silent'],
        { ...(process.env as Record<string, string>), PORT: '0' },
        'npm',
        {
          detached: true,
          cwd: copy,
        },
      );
      await until(
        'it says its address',
        () => chat.lines.some((line) => line.includes('http')) || !chat.isRunning(),
        { withinMs: 300_000 },
      );
      deepEqual(chat.errors, []);
      const url = toAddress(chat.lines.at(-1) ?? '');
      match(chat.lines.at(-1) ?? '', /^The chat is at http:\/\/127\.0\.0\.1:\d+\/$/);
      const page = await browser.newPage();
      await page.goto(url);
      await page.locator('.row').first().waitFor({ timeout: 60_000 });
      const { data } = await ask(url.replace(/\/$/, ''), '{ viewer { username } }', {
        token: 'ada-sample-token',
      });
      await page.close();

      deepEqual(data, { viewer: { username: 'ada' } });
      // As a terminal does: to the whole process group, npm included, which passes it on.
      process.kill(-(chat.child.pid ?? Number.NaN), 'SIGINT');
      equal(await chat.exit(), 0);
    },
  );
}

async function checkTalk(browser: Browser, served: Served): Promise<void> {
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
      await grace.page.getByText('edited').last().waitFor();

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
        await ada.page.locator('.more').scrollIntoViewIfNeeded();
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

async function checkUse(browser: Browser, served: Served): Promise<void> {
  await check(
    'a new message moves its conversation up in the inbox, and counts until it is read',
    async () => {
      await using scene = await startScene(browser, served);
      const ada = await scene.open('ada');
      const row = ada.page.locator('.row', { hasText: 'grace' }).first();
      const count = async () => Number(await row.locator('.badge').innerText());
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

      await page.locator('.row', { hasText: 'grace' }).first().tap();
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
    await ada.write('#before');
    await shows(ada, ['#before']);
    await scene.call('DELETE', '/conversations/conv_ada_grace');

    await ada.write('#too late');

    const unsent = ada.page.locator('.unsent');
    await unsent
      .getByText('Not sent. Somebody has deleted it. Go back to the inbox.')
      .waitFor();
    await unsent.getByText('Send again').click();
    await unsent.getByText('Discard').click();
    await unsent.waitFor({ state: 'detached' });
  });
}

await using copy = await copyRepository();
const browser = await launchChromium();
try {
  await checkStart(browser, copy.path);
  await using served = await serveChat(copy.path);
  await checkTalk(browser, served);
  await checkUse(browser, served);
  if (process.argv[2] === 'pictures') await takePictures(browser, served);
} finally {
  await browser.close();
}
