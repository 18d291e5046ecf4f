import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { FAST, MESSAGES, nextAnswer } from '../support/live.ts';
import { subscribe } from '../support/subscribe.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

/** Unit: items. */
const AT_ONCE = 10;
const ENV = { ...FAST, MAX_PAGE_SIZE: '25' };

/** A service with messages, 0 the oldest, that returns at most ten at once and knows `offset`. */
async function startCapped({
  isOldestFirst = false,
  hasOffset = true,
  length = 40,
} = {}) {
  const state = { length, changed: -1, isRepeating: false, continued: 0 };
  const upstream = await startUpstream(({ line }) => {
    const query = new URL(line.split(' ')[1] ?? '', 'http://service').searchParams;
    const all = Array.from({ length: state.length }, (_, at) =>
      wireMessage(`m${at}`, {
        created_at: 1000 + at,
        message: at === state.changed ? 'changed' : 'text',
      }),
    );
    const ordered = isOldestFirst ? all : all.toReversed();
    const offset = hasOffset ? Number(query.get('offset') ?? 0) : 0;
    if (offset > 0) state.continued += 1;
    const from = state.isRepeating ? 0 : offset;
    const size = Math.min(Number(query.get('limit')), AT_ONCE);
    return {
      body: wirePage(ordered.slice(from, from + size), from + size < state.length),
    };
  });
  return Object.assign(upstream, { state });
}

test.each([['auto'], ['offset']])(
  'the window has MAX_PAGE_SIZE items although the service returns fewer at once: PAGING=%s',
  async (paging) => {
    await using upstream = await startCapped();
    await using gateway = await startTestGateway(upstream.url, {
      ...ENV,
      PAGING: paging,
    });
    await using live = await subscribe(gateway.url, MESSAGES);
    // The 20th of the newest 25.
    upstream.state.changed = upstream.state.length - 20;

    expect((await live.next())?.data.messageChanged).toMatchObject({
      kind: 'UPDATED',
      message: { message: 'changed' },
    });
  },
);

test('a look that cannot read the whole window is no look: what changed meanwhile is told by the next', async () => {
  await using upstream = await startCapped();
  await using gateway = await startTestGateway(upstream.url, {
    ...ENV,
    PAGING: 'offset',
  });
  await using live = await subscribe(gateway.url, MESSAGES);
  const { state } = upstream;
  state.isRepeating = true;
  state.changed = state.length - 20;
  const { continued } = state;
  await expect.poll(() => state.continued).toBeGreaterThan(continued + 1);
  state.isRepeating = false;

  expect((await live.next())?.data.messageChanged).toMatchObject({
    kind: 'UPDATED',
    message: { message: 'changed' },
  });
});

describe('a list that outgrows what the service returns at once', () => {
  test.each([['auto'], ['limit']])(
    'goes on being watched if it is newest first: PAGING=%s',
    async (paging) => {
      await using upstream = await startCapped({ hasOffset: false, length: 9 });
      await using gateway = await startTestGateway(upstream.url, {
        ...ENV,
        PAGING: paging,
      });
      await using live = await subscribe(gateway.url, MESSAGES);
      const { state } = upstream;

      const ids: string[] = [];
      for (let came = 0; came < 3; came += 1) {
        state.length += 1;
        ids.push((await live.next())?.data.messageChanged.messageId);
      }

      expect(ids).toEqual(['m9', 'm10', 'm11']);
    },
  );

  test.each([
    ['auto', /set PAGING/],
    ['limit', /Set PAGING/],
  ])(
    'ends its subscriptions if it is oldest first: PAGING=%s',
    async (paging, setting) => {
      await using upstream = await startCapped({
        isOldestFirst: true,
        hasOffset: false,
        length: 9,
      });
      await using gateway = await startTestGateway(upstream.url, {
        ...ENV,
        PAGING: paging,
      });
      await using live = await subscribe(gateway.url, MESSAGES);
      upstream.state.length = 12;

      const last = await nextAnswer(live);

      expect(codes(last)).toEqual({ messageChanged: 'PAGE_OUT_OF_REACH' });
      expect(last.errors?.[0]?.message).toMatch(setting);
      expect(await live.ended).toBe('complete');
    },
  );
});
