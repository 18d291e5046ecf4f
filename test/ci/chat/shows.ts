import { deepEqual } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { until } from '../replicas/ports.ts';
import type { ChatPage } from './pages.ts';

/** Waits until a page shows exactly these of its own texts, in this order. They begin with #; those of the sample data do not. */
export const shows = (chat: ChatPage, own: readonly string[]) =>
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

export const showAll = (chats: readonly ChatPage[], own: readonly string[]) =>
  Promise.all(chats.map((chat) => shows(chat, own)));

export const isVisible = (page: Page, selector: string) =>
  page.locator(selector).isVisible();
