import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { FAST } from '../support/live.ts';
import { subscribe } from '../support/subscribe.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wirePage } from '../support/wire.ts';

const CONVERSATIONS =
  'subscription { conversationChanged { kind conversationId conversation { lastActiveAt } } }';

test('conversations that activity pushes out of the window are not deleted', async () => {
  /** The last activity by id. */
  const active: Record<string, number> = { a: 1009, b: 1008, c: 1007, d: 1006, e: 1005 };
  await using upstream = await startUpstream(() => {
    const ids = Object.keys(active).toSorted(
      (one, other) => (active[other] ?? 0) - (active[one] ?? 0),
    );
    const shown = ids
      .slice(0, 3)
      .map((id) => wireConversation(id, { created_at: 1, last_active_at: active[id] }));
    return { body: wirePage(shown, true) };
  });
  await using gateway = await startTestGateway(upstream.url, {
    ...FAST,
    MAX_PAGE_SIZE: '3',
  });
  await using live = await subscribe(gateway.url, CONVERSATIONS);
  const next = async (count: number) => {
    await expect.poll(() => live.results.length).toBeGreaterThanOrEqual(count);
    return live.results.map(
      ({ data: { conversationChanged: event } }) =>
        `${event.kind} ${event.conversationId}`,
    );
  };

  // All that stay in the window have moved, and c is pushed out by d.
  Object.assign(active, { d: 2001, b: 2002, a: 2003 });
  await next(3);
  // One more change shows that nothing else was sent before it.
  active.d = 3001;

  expect(await next(4)).toEqual(['UPDATED a', 'UPDATED b', 'CREATED d', 'UPDATED d']);
});
