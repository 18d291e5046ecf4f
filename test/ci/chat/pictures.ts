import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { ROOT } from '../processes.ts';
import { type Served, startScene } from './scene.ts';

/** What grace, the first, and ada say. */
const TALK = [
  'Are the tickets for Saturday still there?',
  'Two of them! Row 7, a bit to the left',
  'Perfect. I bring the oranges',
  'And I the good thermos ☕',
  'The train leaves at 8:12. Platform 3, I think',
  'I will be there at eight. Wake me if I am not 😄',
];

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
  for (const [index, text] of TALK.entries()) {
    await (index % 2 ? ada : grace).write(text);
    for (const { page } of [ada, grace])
      await page.locator('.bubble', { hasText: text }).waitFor();
  }
  await grace.choose('And I the good thermos', '❤️');
  await ada.page.locator('.reactions').last().getByText('❤️').waitFor();
  await ada.choose('Perfect', '👍');
  await grace.page.locator('.reactions').getByText('👍').last().waitFor();
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
