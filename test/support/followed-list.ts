import { expect } from 'vitest';
import type { Environment } from '../../src/gateway.ts';
import { startScripted } from './gateway.ts';
import { FAST, openSubscriptions } from './live.ts';
import { wireMessage, wirePage } from './wire.ts';

const MESSAGE = '__typename id message createdAt';
export const LIST = `query List($id: ID!) {
  messages(conversationId: $id, first: 3, order: NEWEST_FIRST) {
    edges { cursor node { ${MESSAGE} } } pageInfo { hasNextPage endCursor }
  }
}`;
export const CHANGES = `subscription Changes($id: ID!) {
  messageChanged(conversationId: $id) { kind messageId message { ${MESSAGE} } }
}`;

/** A list as the service sends it, the newest first, of texts by their times. */
const toList = (texts: Record<number, string>) =>
  Object.entries(texts)
    .map(([at, message]) =>
      wireMessage(`m${at}`, { message, created_at: 1_700_000_000 + Number(at) }),
    )
    .reverse();

/**
 * Creates, edits and deletes messages of the conversation c1, and expects that a client shows them at their places. `show` starts the client
 * at the address of /graphql: it reads the first three, follows the events, and tells the texts that it shows.
 */
export async function expectToFollow(
  show: (url: string) => Promise<Disposable & { texts(): unknown[] }>,
  env: Environment = FAST,
) {
  let list = toList({ 1: 'not read', 5: 'a', 10: 'b', 30: 'd' });
  await using gateway = await startScripted(({ line }) => {
    const limit = Number(/limit=(\d+)/.exec(line)?.[1] ?? 100);
    return { body: wirePage(list.slice(0, limit), list.length > limit) };
  }, env);
  using shown = await show(`${gateway.url}/graphql`);
  await expect.poll(() => openSubscriptions(gateway)).toBe(1);
  expect(shown.texts()).toEqual(['d', 'b', 'a']);

  list = toList({ 1: 'not read', 3: 'new', 5: 'a', 10: 'b', 20: 'c', 30: 'd', 40: 'e' });
  await expect.poll(shown.texts).toEqual(['e', 'd', 'c', 'b', 'a']);

  list = toList({ 1: 'not read', 3: 'new', 5: 'a', 10: 'b', 20: 'c, edited', 40: 'e' });
  await expect.poll(shown.texts).toEqual(['e', 'c, edited', 'b', 'a']);
}
