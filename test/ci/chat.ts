/**
 * Lets two pages of examples/chat talk in a real browser, through lost networks and a killed gateway.
 *
 *     npx --no -- node test/ci/chat.ts pictures   # also takes those of the README; Inter and Noto Color Emoji should be installed
 */
import { deepEqual, equal, match } from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { run, toAddress } from '../support/command.ts';
import { copyRepository } from '../support/copy-repository.ts';
import { ask } from '../support/gateway.ts';
import { takePictures } from './chat/pictures.ts';
import { serveChat } from './chat/scene.ts';
import { checkTalk } from './chat/talk.ts';
import { checkUse } from './chat/use.ts';
import { check } from './check.ts';
import { launchChromium } from './chromium.ts';
import { until } from './replicas/ports.ts';

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
