import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { ROOT } from '../processes.ts';
import type { ChatPage } from './pages.ts';
import { type Served, startScene } from './scene.ts';

const TALK = [
  ['ada', 'Are the tickets for Saturday still there?'],
  ['ada', 'Two, if possible'],
  ['grace', 'Row 7, a bit to the left'],
  ['ada', 'Perfect. I bring the oranges'],
  ['grace', 'And I the good thermos'],
  ['grace', 'The train leaves at 8:12, platform 3'],
  ['ada', 'I will be there at eight. Wake me if I am not'],
] as const;

/** Takes the pictures of the README. */
export async function takePictures(browser: Browser, served: Served): Promise<void> {
  await using scene = await startScene(browser, served);
  const phone = { viewport: { width: 390, height: 800 }, isMobile: true };
  const ada = await scene.open('ada/conv_ada_grace', {
    ...phone,
    colorScheme: 'dark',
  });
  const desktop = { viewport: { width: 1160, height: 800 } };
  const grace = await scene.open('grace/conv_ada_grace', desktop);
  for (const [name, text] of TALK) {
    await { ada, grace }[name].write(text);
    for (const { page } of [ada, grace])
      await page.locator('.bubble', { hasText: text }).waitFor();
  }
  const chip = ({ page }: ChatPage, name: string) =>
    page.locator('.reactions button', { hasText: name }).last();
  await grace.choose('Perfect', '❤️');
  await chip(ada, '❤️').waitFor();
  await ada.choose('And I the good thermos', '👍');
  await chip(grace, '👍').waitFor();
  await takePicture(grace.page, 'chat-light');
  await takePicture(ada.page, 'chat-dark');
}

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = join(ROOT, 'docs/pictures');
  await mkdir(folder, { recursive: true });
  await page.mouse.move(0, 0);
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 82,
  });
  await writeFile(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
}
