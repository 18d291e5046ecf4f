import { describe, expect, test } from 'vitest';
import { Cancellation, IS_OVER } from '../../src/callers/abort.ts';
import { CallerId } from '../../src/callers/caller-id.ts';
import { ByteQuota } from '../../src/callers/shares.ts';
import {
  LateStartError,
  NoNewestEndError,
  TooManySubscriptionsError,
} from '../../src/live/errors.ts';
import { allConversations } from '../../src/messaging/conversation-fields.ts';
import { MissingTokenError, OverloadedError } from '../../src/rest/errors.ts';
import {
  collect,
  operationOf,
  startList,
  startLive,
  statusError,
  TOUCHED,
  throwing,
  toMessage,
  toWindow,
  writtenTo,
} from './support.ts';

/** The distances between polls. Unit: milliseconds. */
const distances = (polls: readonly { readonly at: number }[]): number[] =>
  polls.slice(1).map(({ at }, index) => at - (polls[index]?.at ?? 0));

describe('polls', () => {
  // security: endless-subscriptions
  test('a thousand subscribers of one list share one poll a turn', async () => {
    const live = startList();
    const subscribers = await Promise.all(
      Array.from({ length: 1000 }, () => live.watch()),
    );
    const collected = subscribers.map(collect);
    expect(live.polls).toHaveLength(1);

    live.list.add('b');
    await live.clock.advance(2000);

    expect(live.polls).toHaveLength(2);
    for (const { events } of collected) expect(events).toEqual(['+b']);
  });

  test('get rarer to 15 seconds while nothing changes, and are prompt again when something does', async () => {
    const live = startList();
    const { events } = collect(await live.watch());

    await live.clock.advance(120_000);
    const idle = distances(live.polls);
    expect(Math.min(...idle)).toBeGreaterThanOrEqual(2000);
    expect(idle.at(-1)).toBeGreaterThanOrEqual(15_000 * 0.9);
    expect(Math.max(...idle)).toBeLessThanOrEqual(15_000);
    expect(idle.length).toBeLessThan(15);

    live.list.add('b');
    for (let ms = 0; ms < 15_000 && events.length === 0; ms += 10) {
      await live.clock.advance(10);
    }
    live.list.add('c');
    await live.clock.advance(2000);
    expect(events).toEqual(['+b', '+c']);
  });

  // security: endless-writes
  test.each([
    ['no more than fifty times a second', 1, 40, 52],
    ['the less often, the more events each poll is', 100, 3, 7],
  ])('follow a storm of writes %s', async (_, subscribers, least, most) => {
    const live = startList();
    for (let count = 0; count < subscribers; count += 1) await live.watch();
    await live.clock.advance(1000);
    for (let ms = 0; ms < 1000; ms += 1) {
      live.wrote(TOUCHED, 'ben');
      await live.clock.advance(1);
    }

    expect(live.polls.length).toBeGreaterThan(least);
    expect(live.polls.length).toBeLessThanOrEqual(most);
    expect(live.polls.at(1)?.at).toBe(1000);
  });

  test('do not follow a write elsewhere', async () => {
    const live = startList();
    await live.watch();
    live.wrote(writtenTo('c2'), 'ben');
    live.wrote([{ type: 'Message', id: 'x', kind: 'changed' }], 'ben');
    await live.clock.advance(1000);
    expect(live.polls).toHaveLength(1);

    live.wrote([{ type: 'Message', id: 'a', kind: 'changed' }], 'ben');
    await live.clock.advance(0);
    expect(live.polls).toHaveLength(2);
  });

  const call = { method: 'GET', route: '/v1/messages' } as const;
  test.each([
    ['after a 429, as long as the service says', statusError(429, 30)],
    ['after a 503, as long as the service says', statusError(503, 30)],
    [
      'beside an open circuit',
      new OverloadedError(call, 'not made', { retryAfterSeconds: 30 }),
    ],
  ])('wait %s, even if a write touches the list', async (_, error) => {
    const live = startList();
    const { list } = live;
    const { events } = collect(await live.watch());
    list.trouble = throwing(error);
    await live.clock.advance(2000);
    expect(live.polls).toHaveLength(2);
    list.trouble = () => {};
    list.add('b');
    live.wrote(TOUCHED, 'ben');
    await live.clock.advance(29_000);
    expect(live.polls).toHaveLength(2);
    await live.clock.advance(1000);

    expect(events).toEqual(['+b']);
    const counts = { same: 1, delayed: 1, changed: 1 };
    expect(Object.fromEntries(live.counts.polls)).toEqual(counts);
  });

  test('wait an hour at most, whatever the service says', async () => {
    const live = startList();
    await live.watch();
    live.list.trouble = throwing(statusError(429, 999_999_999));
    await live.clock.advance(2000);
    expect(live.polls).toHaveLength(2);
    await live.clock.advance(3_599_000);
    expect(live.polls).toHaveLength(2);
    await live.clock.advance(1000);

    expect(live.polls).toHaveLength(3);
  });
});

describe('a subscription', () => {
  test('begins with the state at its start, also beside others', async () => {
    const live = startList();
    const early = collect(await live.watch());
    await live.clock.advance(60_000);
    live.list.add('b');
    const late = collect(await live.watch());
    live.list.add('c');
    await live.clock.advance(15_000);

    expect(early.events).toEqual(['+b', '+c']);
    expect(late.events).toEqual(['+c']);
  });

  // security: withdrawn-token
  test.each([
    [401, 0],
    [403, 1],
  ])(
    'that the service answers with %i ends with that error; others of the token that go on: %i',
    async (status, others) => {
      const live = startList();
      const [ann, ben] = [await live.watch('ann'), await live.watch('ben')].map(collect);
      await live.subscribe(allConversations, operationOf('ann'));
      live.list.trouble = (token) => {
        if (token === 'ann') throw statusError(status);
      };
      live.list.add('b');
      live.wrote(TOUCHED, 'cat');
      await live.clock.advance(20);

      expect(ann).toMatchObject({
        isEnded: true,
        events: [],
        error: { details: { status } },
      });
      expect(ben).toMatchObject({ isEnded: false, events: ['+b'] });
      const open = 1 + others;
      expect([live.counts.subscriptions(), live.counts.watches()]).toEqual([open, open]);
    },
  );

  test('whose newest end is lost ends with an error that names the setting', async () => {
    const live = startList();
    const collected = collect(await live.watch());
    const error = new NoNewestEndError('Set PAGING.');
    live.list.trouble = throwing(error);
    await live.clock.advance(2000);

    expect(collected).toMatchObject({ isEnded: true, error });
  });

  // security: unread-events
  test('that leaves a hundred changes unread is ended when more come, and no other is', async () => {
    const live = startList();
    const idle = await live.watch();
    const reading = collect(await live.watch());
    const ends: string[] = [];
    idle.onEnd(({ reason }) => ends.push(reason));
    for (let count = 0; count < 101; count += 1) {
      expect(ends).toEqual([]);
      live.list.add(`m${count}`);
      live.wrote(TOUCHED, 'ben');
      await live.clock.advance(20);
    }

    expect(ends).toEqual(['overrun']);
    expect(await idle.next()).toEqual({ done: true, value: undefined });
    expect(reading.events).toHaveLength(101);
    expect(live.counts.subscriptions()).toBe(1);
  });

  // security: unread-events
  test('that leaves large changes unread is ended when its caller has no room for more', async () => {
    const bytes = new ByteQuota({ inAll: 3_000_000, oneCaller: 1_500_000 });
    const live = startList({ bytes });
    const [idle, other] = [await live.watch('ann'), await live.watch('ann')];
    const slow = await live.watch('ben');
    const ends: string[] = [];
    for (const one of [idle, other, slow]) one.onEnd(({ reason }) => ends.push(reason));
    const write = async (id: string, length: number) => {
      live.list.items = [toMessage(id, 2, 'x'.repeat(length)), ...live.list.items];
      await live.clock.advance(15_000);
    };

    await write('b', 500_000);
    expect(ends).toEqual([]);
    await slow.next();
    await write('c', 500_000);
    expect(ends).toEqual(['overrun', 'overrun']);
    for (const one of [idle, other])
      expect(await one.next()).toEqual({ done: true, value: undefined });

    await slow.return();
    expect(bytes.reserve('cyd', 1_500_000)).toBe(true);
    expect(bytes.reserve('dan', 1_500_000)).toBe(true);
  });

  // security: unread-events
  test('goes on while others hold all the room, as long as little of it is unread', async () => {
    const bytes = new ByteQuota({ inAll: 2_000_000, oneCaller: 1_000_000 });
    bytes.reserve('eva', 1_000_000);
    bytes.reserve('eve', 1_000_000);
    const live = startList({ bytes });
    const { events } = collect(await live.watch());

    for (const id of ['b', 'c']) {
      live.list.items = [toMessage(id, 2, 'x'.repeat(100_000)), ...live.list.items];
      await live.clock.advance(15_000);
    }

    expect(events).toEqual(['+b', '+c']);
  });

  test('gives back the room of what waits when its client leaves after an error', async () => {
    const bytes = new ByteQuota({ inAll: 1_000_000, oneCaller: 1_000_000 });
    const live = startList({ bytes });
    const idle = await live.watch();
    live.list.items = [toMessage('b', 2, 'x'.repeat(300_000)), ...live.list.items];
    await live.clock.advance(15_000);
    live.list.trouble = throwing(statusError(401));
    await live.clock.advance(15_000);
    expect(live.counts.subscriptions()).toBe(0);
    expect(bytes.reserve('ben', 1_000_000)).toBe(false);

    await idle.return();

    expect(bytes.reserve('ben', 1_000_000)).toBe(true);
  });

  test('is refused if it cannot begin, and leaves nothing behind', async () => {
    const refusals = {
      NothingToWatchError: startLive(() => null),
      RestStatusError: startLive(throwing(statusError(503))),
      LiveOffError: startList({ isOn: false }),
    };
    for (const [name, live] of Object.entries(refusals)) {
      await expect(live.watch()).rejects.toMatchObject({ name });
      await live.clock.advance(60_000);
      expect(live.polls.length).toBeLessThanOrEqual(1);
      expect([live.counts.subscriptions(), live.counts.watches()]).toEqual([0, 0]);
    }
    const withoutToken = startList().subscribe(allConversations, operationOf(null));
    await expect(withoutToken).rejects.toThrow(MissingTokenError);
  });

  test('does not begin when its client has left, beside one that waits on', async () => {
    const live = startList();
    let answer = () => {};
    live.list.trouble = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const leaving = new Cancellation();
    const left = live.watch('ann', leaving);
    const staying = live.watch('ann');
    leaving.abort(IS_OVER);
    await expect(left).rejects.toThrow(LateStartError);
    answer();
    await staying;

    for (const token of ['ann', 'ben'])
      await expect(live.watch(token, leaving)).rejects.toThrow(LateStartError);
    expect(live.counts.subscriptions()).toBe(1);
    expect(live.polls).toHaveLength(1);
  });

  test('ends its poll when the last client leaves, and the next one begins with another', async () => {
    const ends: Cancellation[] = [];
    const live = startLive((_token, _key, end) => {
      ends.push(end);
      if (ends.length > 1) return toWindow([], 100);
      return new Promise((_resolve, reject) => {
        end.addEventListener('abort', { handleEvent: () => reject(end.reason) });
      });
    });
    const leaving = new Cancellation();
    const left = live.watch('ann', leaving);
    leaving.abort(IS_OVER);
    await expect(left).rejects.toThrow(LateStartError);
    const next = await live.watch('ann');

    expect(next.ended).toBeNull();
    expect(ends.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect([...live.counts.polls]).toEqual([['same', 1]]);
  });

  // security: endless-subscriptions
  test('is refused above MAX_SUBSCRIPTIONS, of which one caller may have four fifths', async () => {
    const live = startList({ maxSubscriptions: 10 });
    for (let count = 0; count < 8; count += 1) await live.watch('ann');
    await expect(live.watch('ann')).rejects.toThrow(TooManySubscriptionsError);
    const other = await live.watch('ben');
    await other.return();

    await expect(live.watch('cem')).resolves.toBeDefined();
  });
});

describe('subscriptions of tokens that the service has not accepted yet', () => {
  /** The service accepts a token when it is polled with it. */
  function startAccepting() {
    const known = new Set<string>();
    const isKnown = (token: string | null) => known.has(token ?? '');
    const live = startList({
      maxSubscriptions: 10,
      callerOf: (token) => new CallerId(token, () => isKnown(token)),
    });
    live.list.trouble = (token) => void known.add(token);
    return live;
  }

  test('count for their own callers once the first poll has shown that it does', async () => {
    const live = startAccepting();
    for (let count = 0; count < 9; count += 1) await live.watch(`token-${count}`);

    expect(live.counts.subscriptions()).toBe(9);
  });

  test('are refused if their caller has too many by then', async () => {
    const live = startAccepting();
    const watchSeven = () =>
      Promise.allSettled(Array.from({ length: 7 }, () => live.watch('ann')));

    const all = [...(await watchSeven()), ...(await watchSeven())];

    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
    expect(live.counts.subscriptions()).toBe(8);
  });
});
