import { describe, expect, test } from 'vitest';
import { codes, startScripted } from '../support/gateway.ts';
import {
  FAST,
  LONGEST,
  MESSAGES,
  nextAnswer,
  openSubscriptions,
  startLiveWorld,
} from '../support/live.ts';
import { subscribe } from '../support/subscribe.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

describe('the newest end of a list of 640 messages', () => {
  test.each([
    ['none', { PAGING: 'limit' }, 'newest', null],
    ['none', { PAGING: 'limit' }, 'newest', 25],
    ['none', { PAGING: 'limit' }, 'oldest', null],
    ['starting_after', { PAGING: 'starting_after' }, 'oldest', 25],
    ['offset', { PAGING: 'offset' }, 'oldest', 25],
    ['page', { PAGING: 'page' }, 'oldest', 25],
    ['starting_after', {}, 'oldest', null],
  ] as const)(
    'is found: paging of the service: %s, settings %j, order: %s, maximum limit: %s',
    async (paging, env, order, maxLimit) => {
      await using world = await startLiveWorld(
        { paging, order, maxLimit },
        { ...env, MAX_CALLS_PER_LIST: '60' },
      );
      await using live = await world.subscribe(MESSAGES);
      const next = async () => {
        const { kind, messageId } = (await live.next())?.data.messageChanged ?? {};
        return [kind, messageId];
      };

      const send = (text: string) =>
        world.elsewhere(
          'POST',
          '/messages',
          `conversation_id=${LONGEST}&message=${text}`,
        );
      const first = await send('one');
      expect(await next()).toEqual(['CREATED', first]);
      const second = await send('two');
      expect(await next()).toEqual(['CREATED', second]);
      await world.elsewhere('DELETE', `/messages/${first}`);
      expect(await next()).toEqual(['DELETED', first]);
    },
  );

  test.each([
    [
      'the cap lies before it',
      { order: 'oldest', maxLimit: 25 },
      { PAGING: 'limit' },
      /PAGING/,
    ],
    [
      'the list is so long that each poll would read it all',
      { order: 'oldest' },
      { PAGING: 'limit', MAX_PAGE_SIZE: '10' },
      /read again and again. Set PAGING/,
    ],
    ['it is in the order of ids', { order: 'id' }, {}, /MAX_PAGE_SIZE/],
  ] as const)(
    'is out of reach if %s, and the error names the setting',
    async (_, answers, env, setting) => {
      await using world = await startLiveWorld(answers, env);
      await using live = await world.subscribe(MESSAGES);

      const refused = await nextAnswer(live);

      expect(codes(refused)).toEqual({ messageChanged: 'PAGE_OUT_OF_REACH' });
      expect(refused.errors?.[0]?.message).toMatch(setting);
      expect(await live.ended).toBe('complete');
    },
  );

  test('is not needed where the whole list fits into the window', async () => {
    await using world = await startLiveWorld({ order: 'id' }, { MAX_PAGE_SIZE: '1000' });
    await using live = await world.subscribe(MESSAGES);

    const form = `conversation_id=${LONGEST}&message=m`;
    const messageId = await world.elsewhere('POST', '/messages', form);

    const { data } = await nextAnswer(live);
    expect(data.messageChanged).toMatchObject({ kind: 'CREATED', messageId });
  });
});

describe('a service that returns ten items at once', () => {
  /** Its messages are numbered, 0 the oldest. It knows `offset`. */
  async function startCapped(
    paging: string,
    { isOldestFirst = false, hasOffset = true, length = 40 } = {},
  ) {
    const state = { length, changed: -1, isRepeating: false, continued: 0 };
    const gateway = await startScripted(
      ({ line }) => {
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
        const to = from + Math.min(Number(query.get('limit')), 10);
        return { body: wirePage(ordered.slice(from, to), to < state.length) };
      },
      { ...FAST, MAX_PAGE_SIZE: '25', PAGING: paging },
    );
    return Object.assign(gateway, { state });
  }
  const CHANGED = { kind: 'UPDATED', message: { message: 'changed' } };

  test('is watched for MAX_PAGE_SIZE items all the same', async () => {
    await using gateway = await startCapped('auto');
    await using live = await subscribe(gateway.url, MESSAGES);
    // The 20th of the newest 25.
    gateway.state.changed = gateway.state.length - 20;

    expect((await live.next())?.data.messageChanged).toMatchObject(CHANGED);
  });

  test('and no more for a while is watched again: what changed meanwhile is told by the first poll that reads the whole window', async () => {
    await using gateway = await startCapped('offset');
    await using live = await subscribe(gateway.url, MESSAGES);
    const { state } = gateway;
    state.isRepeating = true;
    state.changed = state.length - 20;
    const { continued } = state;
    await expect.poll(() => state.continued).toBeGreaterThan(continued + 1);
    state.isRepeating = false;

    expect((await live.next())?.data.messageChanged).toMatchObject(CHANGED);
  });

  test.each([['auto'], ['limit']])(
    'goes on being watched if its list outgrows that, newest first: PAGING=%s',
    async (paging) => {
      const list = { hasOffset: false, length: 9 };
      await using gateway = await startCapped(paging, list);
      await using live = await subscribe(gateway.url, MESSAGES);

      const ids: string[] = [];
      for (let came = 0; came < 3; came += 1) {
        gateway.state.length += 1;
        ids.push((await live.next())?.data.messageChanged.messageId);
      }

      expect(ids).toEqual(['m9', 'm10', 'm11']);
    },
  );

  test.each([
    ['auto', /set PAGING/],
    ['limit', /Set PAGING/],
  ])(
    'ends if its list outgrows that, oldest first: PAGING=%s',
    async (paging, setting) => {
      const list = { isOldestFirst: true, hasOffset: false, length: 9 };
      await using gateway = await startCapped(paging, list);
      await using live = await subscribe(gateway.url, MESSAGES);
      gateway.state.length = 12;

      const last = await nextAnswer(live);

      expect(codes(last)).toEqual({ messageChanged: 'PAGE_OUT_OF_REACH' });
      expect(last.errors?.[0]?.message).toMatch(setting);
      expect(await live.ended).toBe('complete');
    },
  );
});

test('a conversation that was deleted is NOT_FOUND, also while another subscription still watches it', async () => {
  let isDeleted = false;
  await using gateway = await startScripted(
    () => (isDeleted ? { status: 404 } : { body: wirePage([wireMessage('m1')]) }),
    FAST,
  );
  await using first = await subscribe(gateway.url, MESSAGES);
  isDeleted = true;
  expect((await first.next())?.data.messageChanged.kind).toBe('DELETED');

  await using late = await subscribe(gateway.url, MESSAGES);

  expect(codes(await nextAnswer(late))).toEqual({ messageChanged: 'NOT_FOUND' });
  expect(await late.ended).toBe('complete');
  expect(await openSubscriptions(gateway)).toBe(1);

  isDeleted = false;
  expect((await first.next())?.data.messageChanged.kind).toBe('CREATED');
});
