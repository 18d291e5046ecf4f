import { expect, test } from 'vitest';
import { createRandom, type Random } from '../../src/embedded/sample/random.ts';
import { PageOutOfReachError } from '../../src/paging/errors.ts';
import type { ListOptions } from '../support/list.ts';
import { createMemory, pagesOf } from '../support/memory.ts';
import { LEARNING, numbered, SET_BY_HAND, type Style } from '../support/pager.ts';
import { TIMES } from '../trust/runs.ts';

/**
 * Walks through random lists, in every paging style and both directions, as listed or the newest first, while something
 * happens to the list. What stays in the list comes once and in its order, or the walk ends with an error.
 */
interface Event {
  /** Default: up to 150 items in any order. */
  toList?(random: Random): string[];
  /** What the service leaves out of its pages, although it counts in `limit`. */
  toHidden?(random: Random): (id: string) => boolean;
  /** Happens after every call. */
  readonly afterCall?: Change;
  /** Happens between two pages. */
  readonly afterPage?: Change;
  /** Moves an item other than `fixed` between the first two pages, and returns it. */
  move?(ids: string[], random: Random, fixed: string | null): string;
  /** Whether everything that a cursor remembers may be gone. */
  readonly mayEnd?: boolean;
}

/** `at`: the index of the item from which the client reads on. */
type Change = (ids: string[], random: Random, fresh: string, at: number) => void;

/** In each style and for each event. */
const WALKS = 5 * TIMES;
/** Only the first of the calls change a list, so that a walk comes to an end. */
const MOST_CHANGES = 300;

const numberOf = (id: string) => Number(id.slice(1));

const EVENTS: Record<string, Event> = {
  'nothing happens': {},
  'items have no id': {
    // Where a service that returns ten at once returns no id, `starting_after` has none to continue from.
    toList(random) {
      const share = random.pick([0.1, 0.5, 0.9]);
      return numbered(10 + random.below(40)).map((id, index) =>
        index % 9 !== 8 && random.chance(share) ? `!${id}` : id,
      );
    },
  },
  'the service leaves items out': {
    toHidden(random) {
      const from = random.below(100);
      const hidden = new Set(numbered(150).filter(() => random.chance(0.3)));
      return random.pick<(id: string) => boolean>([
        (id) => numberOf(id) % 2 === 0,
        (id) => hidden.has(id),
        (id) => numberOf(id) >= from && numberOf(id) < from + 40,
        (id) => numberOf(id) >= 110,
        (id) => numberOf(id) !== 60,
        () => true,
      ]);
    },
  },
  'items come at the head': { afterCall: (ids, _random, fresh) => ids.unshift(fresh) },
  'items come at the end': { afterCall: (ids, _random, fresh) => ids.push(fresh) },
  'items come anywhere': {
    afterCall: (ids, random, fresh) => ids.splice(random.below(ids.length + 1), 0, fresh),
  },
  'items come and go': {
    afterCall(ids, random, fresh) {
      ids.splice(random.below(ids.length + 1), 0, fresh);
      if (random.chance(0.3)) ids.splice(random.below(ids.length), 1);
    },
    mayEnd: true,
  },
  'many items come and go between two pages': {
    afterPage(ids, random, fresh) {
      for (let count = random.below(6); count > 0; count -= 1)
        ids.splice(random.below(ids.length + 1), 1);
      for (let count = random.below(6); count > 0; count -= 1)
        ids.splice(random.below(ids.length + 1), 0, `${fresh}-${count}`);
    },
  },
  'items come and go where the client reads': {
    afterPage(ids, random, fresh, at) {
      const index = Math.max(0, at - 5 + random.below(11));
      if (random.chance(0.5)) ids.splice(index, 0, fresh);
      else if (ids.length > 30) ids.splice(index, 1);
    },
  },
  'one item moves': {
    move(ids, random, fixed) {
      for (;;) {
        const from = random.below(ids.length);
        const to = random.below(ids.length);
        const moved = ids[from] ?? '';
        // If two neighbours change places, either may have moved.
        if (Math.abs(from - to) < 2 || moved === fixed) continue;
        ids.splice(from, 1);
        ids.splice(to, 0, moved);
        return moved;
      }
    },
  },
};

async function walkAtRandom(style: Style, event: Event, random: Random) {
  const backward = random.chance(0.5);
  /** Where the list has its newest items, if these are read first. */
  const newest = random.pick(['head', 'tail', null] as const);
  const size = event.move
    ? // Fewer items would not show which of them has moved.
      4 + random.below(4)
    : random.pick([1, 2, 3, 5, 7, 10, 20, 50, 99, 100]);
  const length = 10 + random.below(size < 3 ? 20 : 140);
  const list = event.toList?.(random) ?? random.shuffle(numbered(length));
  const hides = event.toHidden?.(random) ?? (() => false);
  // A service that leaves items out looks like one with a maximum.
  const isCapped = !event.toHidden && random.chance(0.5);
  const cap: ListOptions = isCapped
    ? random.pick<ListOptions>([
        { maxLimit: 25 },
        { maxLimit: 25, refuse: 400 },
        { maxLimit: 40, refuse: 422 },
      ])
    : {};
  // After a refused `limit`, a style that is set by hand asks for ten.
  const longest = cap.refuse === undefined ? (cap.maxLimit ?? 100) : 10;
  let changes = 0;
  const change = (apply: Change | undefined, at = 0) => {
    changes += 1;
    if (changes <= MOST_CHANGES) apply?.(memory.ids, random, `n${changes}`, at);
    keepOrder(memory.ids, times, newest);
  };
  const times = new Map<string, number>();
  const memory = createMemory(list, {
    // The end of a list that is cut into pages of 25 is far.
    settings: { ...style.settings, MAX_CALLS_PER_LIST: '40' },
    service: {
      ...style.service,
      ...cap,
      hides,
      timeOf: (id) => times.get(id) ?? 0,
      afterEach: () => change(event.afterCall),
    },
  });

  keepOrder(memory.ids, times, newest);

  const seen: (string | null)[] = [];
  let own = '';
  let moved: string | null = null;
  /** `error`: what ended it, and whether the item from which the client read on was gone; null if it came to the end. */
  const end = (error: { message: string; isGone: boolean } | null) => {
    const calls = memory.service.queries().length;
    /** The list at the end. */
    const left = memory.ids;
    /** How many items one call returns at the most. */
    const part = Math.min(size, longest);
    const found = { moved, isCapped, part, hides, seen, calls, error };
    return { size, backward, newest, list, left, ...found };
  };
  const order = newest === null ? 'AS_LISTED' : 'NEWEST_FIRST';
  let isFirst = true;
  try {
    for await (const page of pagesOf(memory.page, { size, backward, order })) {
      if (newest === 'tail')
        seen.splice(backward ? seen.length : 0, 0, ...page.ids.toReversed());
      else seen.splice(backward ? 0 : seen.length, 0, ...page.ids);
      if (page.isLast) break;
      own = (backward ? page.ids[0] : page.ids.at(-1)) ?? '';
      change(event.afterPage, memory.ids.indexOf(own));
      // Asked by an id, the service continues from where that item is now: a move of it does not show.
      const fixed = style.service.after === undefined ? null : own;
      if (isFirst) moved = event.move?.(memory.ids, random, fixed) ?? null;
      if (moved !== null && isFirst) times.delete(moved);
      keepOrder(memory.ids, times, newest);
      isFirst = false;
    }
  } catch (error) {
    if (!(error instanceof PageOutOfReachError)) throw error;
    return end({
      message: error.message,
      isGone: own !== '' && !memory.ids.includes(own),
    });
  }
  return end(null);
}

/** Unit: microseconds. As many as may come between two items. */
const STEP = 2 ** 40;
const START = 2 ** 50;

/** Gives the new items of a list times between those of their neighbours. No item changes its time. */
function keepOrder(
  ids: readonly string[],
  times: Map<string, number>,
  newest: 'head' | 'tail' | null,
): void {
  const step = newest === 'head' ? -STEP : STEP;
  ids.forEach((id, index) => {
    if (times.has(id)) return;
    const before = times.get(ids[index - 1] ?? '');
    const next = ids.slice(index + 1).find((one) => times.has(one));
    const after = times.get(next ?? '');
    if (before === undefined) times.set(id, after === undefined ? START : after - step);
    else
      times.set(
        id,
        after === undefined ? before + step : Math.floor((before + after) / 2),
      );
  });
}

/** Whether the gateway has a way to read beyond a maximum of the service. */
const reachesBeyond = ({ name, service }: Style): boolean =>
  name !== 'limit' &&
  (service.after !== undefined ||
    service.page !== undefined ||
    service.offset === 'offset');

test.each(
  [...SET_BY_HAND, ...LEARNING].flatMap((style) =>
    Object.entries(EVENTS).map(([what, event]) => ({ ...style, what, event })),
  ),
)(
  'with $name, if $what, a walk loses and repeats nothing',
  async ({ what, event, ...style }) => {
    for (let seed = 1; seed <= WALKS; seed += 1) {
      const walk = await walkAtRandom(style, event, createRandom(seed));
      const { size, backward, newest, list, left } = walk;
      const { moved, isCapped, part, hides, seen, error } = walk;
      const { length } = list;
      const context = { seed, size, backward, newest, length, isCapped, error };

      if (error !== null) {
        // A parameter is learned from items in a row that have ids, and stay.
        const isLearning =
          style.settings.PAGING === undefined && what !== 'nothing happens';
        const isBeyond = isCapped && (!reachesBeyond(style) || isLearning);
        expect({
          ...context,
          isDue: isBeyond || error.isGone || event.mayEnd === true,
        }).toEqual({ ...context, isDue: true });
        continue;
      }
      const stays = (id: string) => left.includes(id) && id !== moved && !hides(id);
      const toId = (id: string) => (id.startsWith('!') ? null : id);
      const due = list.filter(stays).map(toId);
      const old = seen.filter((id) => id === null || (list.includes(id) && stays(id)));
      expect({ ...context, seen: old }).toEqual({ ...context, seen: due });
      const ids = seen.filter((id) => id !== null && id !== moved);
      const doubled = ids.filter((id, index) => ids.indexOf(id) !== index);
      expect({ ...context, doubled }).toEqual({ ...context, doubled: [] });
      // Two to four calls for each part, and some for what is learned, the order too.
      const most = 4 * Math.ceil(list.length / part) + 12;
      const isStill = !event.afterCall && !event.afterPage && !event.move;
      if (isStill && walk.calls > most)
        expect({ ...context, calls: walk.calls }).toEqual({ most });
    }
  },
);
