import { deepEqual } from 'node:assert/strict';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A page of the chat, as a user sees it. */
export interface ChatPage extends AsyncDisposable {
  readonly page: Page;
  /** The texts that are shown, in their order. */
  texts(): Promise<string[]>;
  /** The texts that were shown twice at any moment. */
  doubles(): Promise<string[]>;
  write(text: string): Promise<void>;
  /** Opens the menu of the message with this text, and chooses from it. */
  choose(text: string, choice: string): Promise<void>;
  /** Cuts the network of the page, or gives it back. */
  setOffline(isOffline: boolean): Promise<void>;
}

/** Notes each text that stands twice in the conversation after any change of the page. The compiler has no DOM types here. */
const WATCH_DOUBLES = `
  window.doubles = [];
  new MutationObserver(() => {
    const texts = [...document.querySelectorAll('[role=log] .bubble')].map((one) => one.innerText);
    const own = texts.filter((text) => text.startsWith('#'));
    window.doubles.push(...own.filter((text, index) => own.indexOf(text) !== index));
  }).observe(document, { childList: true, subtree: true, characterData: true });
`;

/** Opens the chat in a browser profile of its own. `path`: who looks at what, such as `ada/conv_ada_grace`. */
export async function openChat(
  browser: Browser,
  url: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<ChatPage> {
  await using started = new AsyncDisposableStack();
  const context = started.adopt(
    await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options }),
    (opened) => opened.close(),
  );
  await context.addInitScript(WATCH_DOUBLES);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  started.defer(() => deepEqual(errors, []));
  await page.goto(`${url}#/${path}`);
  await page.locator('.row').first().waitFor({ state: 'attached' });
  const all = started.move();
  return {
    page,
    texts: () => page.locator('[role=log] .bubble').allInnerTexts(),
    doubles: () => page.evaluate('window.doubles'),
    async write(text) {
      await page.getByPlaceholder('Write a message').last().fill(text);
      await page.keyboard.press('Enter');
    },
    async choose(text, choice) {
      const message = page.locator('.message', { hasText: text });
      await message.hover();
      await message.getByTitle('React, edit, delete').click();
      await message.locator('.menu').getByText(choice).click();
    },
    setOffline: (isOffline) => context.setOffline(isOffline),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
