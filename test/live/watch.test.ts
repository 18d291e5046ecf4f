import { describe, expect, test } from 'vitest';
import {
  NoNewestEndError,
  OverrunError,
  TooManySubscriptionsError,
} from '../../src/live/errors.ts';
import { allConversations } from '../../src/live/source.ts';
import { CallerId } from '../../src/rest/caller-id.ts';
import { MissingTokenError, OverloadedError } from '../../src/rest/errors.ts';
import type { Message } from '../../src/rest/message.ts';
import {
  collect,
  settled,
  startLive,
  statusError,
  TOUCHED,
  toMessage,
  toWindow,
} from './support.ts';

/** A list to which messages are added, and a poll of it. */
function createList() {
  let list: Message[] = [toMessage('a', 1)];
  return {
    add(id: string) {
      list = [toMessage(id, list.length + 1), ...list];
    },
    poll: () => toWindow(list, 100),
  };
}

/** The distances between polls. Unit: milliseconds. */
const distances = (polls: readonly { readonly at: number }[]): number[] =>
  polls.slice(1).map(({ at }, index) => at - (polls[index]?.at ?? 0));

describe('polls', () => {
  test('a thousand subscribers of one list share one poll a turn', async () => {
    const list = createList();
    const live = startLive(list.poll);
    const subscribers = await Promise.all(
      Array.from({ length: 1000 }, () => live.watch()),
    );
    const collected = subscribers.map(collect);
    expect(live.polls).toHaveLength(1);

    list.add('b');
    await live.clock.advance(2000);

    expect(live.polls).toHaveLength(2);
    expect(collected.map(({ events }) => events)).toEqual(
      Array.from({ length: 1000 }, () => ['+b']),
    );
  });

  test('get rarer to 15 seconds while nothing changes, and are prompt again when something does', async () => {
    const list = createList();
    const live = startLive(list.poll);
    const { events } = collect(await live.watch());

    await live.clock.advance(120_000);
    const idle = distances(live.polls);
    expect(Math.min(...idle)).toBeGreaterThanOrEqual(2000);
    expect(idle.at(-1)).toBeGreaterThanOrEqual(15_000 * 0.9);
    expect(Math.max(...idle)).toBeLessThanOrEqual(15_000);
    expect(idle.length).toBeLessThan(15);

    list.add('b');
    for (let ms = 0; ms < 15_000 && events.length === 0; ms += 10) {
      await live.clock.advance(10);
    }
    list.add('c');
    await live.clock.advance(2000);
    expect(events).toEqual(['+b', '+c']);
  });

  test('follow a write at once, also one that comes while a poll is under way', async () => {
    const list = createList();
    let release = () => {};
    let isSlow = false;
    const live = startLive(async () => {
      const window = list.poll();
      if (isSlow) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      return window;
    });
    const { events } = collect(await live.watch());
    await live.clock.advance(100);

    list.add('b');
    live.wrote(TOUCHED, 'ben');
    await live.clock.advance(0);
    expect(events).toEqual(['+b']);

    isSlow = true;
    live.wrote(TOUCHED, 'ben');
    await live.clock.advance(20);
    list.add('c');
    live.wrote(TOUCHED, 'ben');
    isSlow = false;
    release();
    await settled();
    await live.clock.advance(20);
    expect(events).toEqual(['+b', '+c']);
  });

  test('follow a storm of writes no more than fifty times a second', async () => {
    const list = createList();
    const live = startLive(list.poll);
    collect(await live.watch());
    for (let ms = 0; ms < 1000; ms += 1) {
      live.wrote(TOUCHED, 'ben');
      await live.clock.advance(1);
    }

    expect(live.polls.length).toBeGreaterThan(40);
    expect(live.polls.length).toBeLessThanOrEqual(52);
  });

  test('follow a storm the less often, the more events each poll is', async () => {
    const live = startLive(createList().poll);
    for (let count = 0; count < 100; count += 1) await live.watch();
    await live.clock.advance(1000);
    for (let ms = 0; ms < 1000; ms += 1) {
      live.wrote(TOUCHED, 'ben');
      await live.clock.advance(1);
    }

    expect(live.polls.length).toBeLessThanOrEqual(7);
    expect(live.polls.at(1)?.at).toBe(1000);
  });

  test('do not follow a write elsewhere', async () => {
    const live = startLive(createList().poll);
    collect(await live.watch());
    live.wrote({ ...TOUCHED, conversationIds: ['c2'] }, 'ben');
    live.wrote({ ...TOUCHED, conversationIds: [], messageIds: ['x'] }, 'ben');
    await live.clock.advance(1000);
    expect(live.polls).toHaveLength(1);

    live.wrote({ ...TOUCHED, conversationIds: [], messageIds: ['a'] }, 'ben');
    await live.clock.advance(0);
    expect(live.polls).toHaveLength(2);
  });

  test('wait as long as the service says after a 429, even if a write touches the list', async () => {
    const list = createList();
    let isLimited = false;
    const live = startLive(() => {
      if (isLimited) throw statusError(429, 30);
      return list.poll();
    });
    const { events } = collect(await live.watch());
    isLimited = true;
    await live.clock.advance(2000);
    const limited = live.polls.length;
    isLimited = false;
    list.add('b');
    live.wrote(TOUCHED, 'ben');
    await live.clock.advance(29_000);
    expect(live.polls).toHaveLength(limited);
    await live.clock.advance(1000);

    expect(events).toEqual(['+b']);
    expect(Object.fromEntries(live.counts.polls)).toEqual({
      same: 1,
      delayed: 1,
      changed: 1,
    });
  });

  test('wait beside an open circuit', async () => {
    const list = createList();
    let isOpen = false;
    const live = startLive(() => {
      const call = { method: 'GET', route: '/v1/messages' } as const;
      if (isOpen) throw new OverloadedError(call, 'not made', 20);
      return list.poll();
    });
    collect(await live.watch());
    isOpen = true;
    await live.clock.advance(2000);
    const polls = live.polls.length;
    await live.clock.advance(19_000);

    expect(live.polls).toHaveLength(polls);
  });

  test('end when the last subscriber leaves', async () => {
    const live = startLive(createList().poll);
    const [one, other] = [await live.watch(), await live.watch()];
    await one.return();
    await live.clock.advance(2000);
    expect(live.polls).toHaveLength(2);
    await other.return();
    await live.clock.advance(60_000);

    expect(live.polls).toHaveLength(2);
    expect([live.counts.subscriptions(), live.counts.watches()]).toEqual([0, 0]);
  });
});

describe('a subscription', () => {
  test('begins with the state at its start, also beside others', async () => {
    const list = createList();
    const live = startLive(list.poll);
    const early = collect(await live.watch());
    await live.clock.advance(60_000);
    list.add('b');
    const late = collect(await live.watch());
    list.add('c');
    await live.clock.advance(15_000);

    expect(early.events).toEqual(['+b', '+c']);
    expect(late.events).toEqual(['+c']);
  });

  test.each([401, 403])(
    'that the service answers with %i ends with that error',
    async (status) => {
      const refused = new Set<string>();
      const list = createList();
      const live = startLive((token) => {
        if (refused.has(token)) throw statusError(status);
        return list.poll();
      });
      const ann = collect(await live.watch('ann'));
      const ben = collect(await live.watch('ben'));
      refused.add('ann');
      list.add('b');
      await live.clock.advance(2000);

      expect(ann).toMatchObject({
        isEnded: true,
        events: [],
        error: { details: { status } },
      });
      expect(ben).toMatchObject({ isEnded: false, events: ['+b'] });
      expect([live.counts.subscriptions(), live.counts.watches()]).toEqual([1, 1]);
    },
  );

  test('of a token that the service accepts no more ends with all others of that token', async () => {
    let isRefused = false;
    const live = startLive(() => {
      if (isRefused) throw statusError(401);
      return createList().poll();
    });
    const messages = collect(await live.watch());
    const conversations = await live.subscribe(allConversations, 'ann');
    await live.clock.advance(1000);
    isRefused = true;
    live.wrote(TOUCHED, 'ben');
    await live.clock.advance(0);

    expect(messages.isEnded).toBe(true);
    await expect(conversations.next()).rejects.toMatchObject({
      details: { status: 401 },
    });
  });

  test('goes on after any other trouble, and then tells what changed since the last good poll', async () => {
    const list = createList();
    let isDown = false;
    const live = startLive(() => {
      if (isDown) throw statusError(503);
      return list.poll();
    });
    const collected = collect(await live.watch());
    isDown = true;
    list.add('b');
    await live.clock.advance(60_000);
    isDown = false;
    await live.clock.advance(15_000);

    expect(collected).toMatchObject({ isEnded: false, events: ['+b'] });
  });

  test('whose conversation is deleted tells that its messages are', async () => {
    const list = createList();
    let isGone = false;
    const live = startLive(() => (isGone ? null : list.poll()));
    const collected = collect(await live.watch());
    isGone = true;
    await live.clock.advance(2000);

    expect(collected).toMatchObject({ isEnded: false, events: ['-a'] });
  });

  test('whose newest end is lost ends with an error that names the setting', async () => {
    let isLost = false;
    const live = startLive(() => {
      if (isLost) throw new NoNewestEndError('Set PAGING.');
      return createList().poll();
    });
    const collected = collect(await live.watch());
    isLost = true;
    await live.clock.advance(2000);

    expect(collected).toMatchObject({ isEnded: true, error: { message: 'Set PAGING.' } });
  });

  test('that leaves a hundred changes unread is ended when more come, and no other is', async () => {
    const list = createList();
    const live = startLive(list.poll);
    const idle = await live.watch();
    const reading = collect(await live.watch());
    const ends: string[] = [];
    idle.onEnd(({ reason }) => ends.push(reason));
    for (let count = 0; count < 101; count += 1) {
      expect(ends).toEqual([]);
      list.add(`m${count}`);
      live.wrote(TOUCHED, 'ben');
      await live.clock.advance(20);
    }

    expect(ends).toEqual(['overrun']);
    await expect(idle.next()).rejects.toThrow(OverrunError);
    expect(reading.events).toHaveLength(101);
    expect(live.counts.subscriptions()).toBe(1);
  });

  test('is refused if it cannot begin, and leaves nothing behind', async () => {
    const refusals = {
      NothingToWatchError: startLive(() => null),
      RestStatusError: startLive(() => {
        throw statusError(503);
      }),
      LiveOffError: startLive(createList().poll, { isOn: false }),
    };
    for (const [name, live] of Object.entries(refusals)) {
      await expect(live.watch()).rejects.toMatchObject({ name });
      await live.clock.advance(60_000);
      expect(live.polls.length).toBeLessThanOrEqual(1);
      expect([live.counts.subscriptions(), live.counts.watches()]).toEqual([0, 0]);
    }
    const live = startLive(createList().poll);
    await expect(live.subscribe(allConversations, null)).rejects.toThrow(
      MissingTokenError,
    );
  });

  test('is refused above MAX_SUBSCRIPTIONS, of which one caller may have four fifths', async () => {
    const live = startLive(createList().poll, { maxSubscriptions: 10 });
    for (let count = 0; count < 8; count += 1) await live.watch('ann');
    await expect(live.watch('ann')).rejects.toThrow(TooManySubscriptionsError);
    const other = await live.watch('ben');
    await other.return();
    await settled();

    await expect(live.watch('cem')).resolves.toBeDefined();
  });
});

describe('subscriptions of tokens that the service has not accepted yet', () => {
  test('count for their own callers once the first poll has shown that it does', async () => {
    const known = new Set<string>();
    const live = startLive(
      (token) => {
        known.add(token);
        return toWindow([], 100);
      },
      {
        maxSubscriptions: 10,
        callerOf: (token) => new CallerId(token, () => known.has(token ?? '')),
      },
    );
    for (let count = 0; count < 9; count += 1) await live.watch(`token-${count}`);

    expect(live.counts.subscriptions()).toBe(9);
  });

  test('are refused if their caller has too many by then', async () => {
    let isKnown = false;
    const live = startLive(
      () => {
        isKnown = true;
        return toWindow([], 100);
      },
      { maxSubscriptions: 10, callerOf: (token) => new CallerId(token, () => isKnown) },
    );
    const first = await Promise.allSettled(
      Array.from({ length: 7 }, () => live.watch('ann')),
    );
    const next = await Promise.allSettled(
      Array.from({ length: 7 }, () => live.watch('ann')),
    );

    const begun = [...first, ...next].filter(({ status }) => status === 'fulfilled');
    expect(begun).toHaveLength(8);
    expect(live.counts.subscriptions()).toBe(8);
  });
});

test('the watches of 200 tokens each read with their own token only', async () => {
  const tokens = Array.from({ length: 200 }, (_, index) => `token${index}`);
  const lists = new Map(tokens.map((token) => [token, [toMessage('a', 1, token)]]));
  const live = startLive((token) => toWindow(lists.get(token) ?? [], 100));
  const seen = new Map<string, string[]>();
  for (const token of tokens) {
    const subscriber = await live.watch(token);
    const texts: string[] = [];
    seen.set(token, texts);
    void (async () => {
      for await (const { value } of subscriber) texts.push((value as Message).message);
    })();
  }
  // The same ids for all, with other texts.
  for (let round = 2; round < 12; round += 1) {
    for (const [token, list] of lists) list.unshift(toMessage(`m${round}`, round, token));
    live.wrote(TOUCHED, `token${round}`);
    await live.clock.advance(1500);
  }

  for (const [token, texts] of seen) expect(texts).toEqual(Array(10).fill(token));
  expect(live.polls).toHaveLength(200 * 11);
});
