import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/embedded/sample/random.ts';
import { startTestGateway } from '../support/gateway.ts';
import { type ListOptions, startList } from '../support/list.ts';
import { askPage } from '../support/pager.ts';

/** Conversations move as there is activity in them: an item is taken out and put in elsewhere. */
const STYLES: [paging: string, service: ListOptions][] = [
  ['limit', {}],
  ['starting_after', { after: 'starting_after', before: 'ending_before' }],
  [
    'starting_after',
    { after: 'starting_after', before: 'ending_before', unknown: 'empty' },
  ],
  ['offset', { offset: 'offset' }],
  ['page', { page: 'page' }],
];

interface Case {
  readonly what: string;
  readonly first: string;
  readonly later: string;
  readonly next: string;
  readonly expected: string;
}

const CASES: Case[] = [
  {
    what: 'the head goes to the end, as where the newest is last',
    first: 'first: 5',
    later: 'bcdefghijkla',
    next: 'first: 10',
    expected: 'fghijkl',
  },
  {
    what: 'the head sinks behind the cursor',
    first: 'first: 3',
    later: 'bcdefaghijkl',
    next: 'first: 10',
    expected: 'defghijkl',
  },
  {
    what: 'the head sinks, and the page lies in front of the cursor',
    first: 'first: 5',
    later: 'bcdefaghijkl',
    next: 'last: 10',
    expected: 'bcd',
  },
  {
    what: "the cursor's own item goes to the head",
    first: 'first: 5',
    later: 'eabcdfghijkl',
    next: 'first: 4',
    expected: 'fghi',
  },
  {
    what: "the cursor's own item goes to the end",
    first: 'first: 5',
    later: 'abcdfghijkle',
    next: 'first: 10',
    expected: 'fghijkl',
  },
  {
    what: 'the item in front of the cursor goes to the end, and its own is gone',
    first: 'first: 5',
    later: 'abcfghijkld',
    next: 'first: 10',
    expected: 'fghijkl',
  },
  {
    what: 'of two items the second goes in front of the first',
    first: 'first: 2',
    later: 'bacdefghijkl',
    next: 'first: 3',
    expected: 'cde',
  },
];

describe.each(STYLES)('PAGING=%s in front of %j', (paging, service) => {
  test.each(CASES)('$what', async ({ first, later, next, expected }) => {
    await using upstream = await startList([...'abcdefghijkl'], service);
    await using gateway = await startTestGateway(upstream.url, { PAGING: paging });
    const { start, end } = await askPage(gateway, first);
    upstream.ids.splice(0, upstream.ids.length, ...later);

    const isBack = next.startsWith('last') && first.startsWith('last');
    const side = next.startsWith('last') ? 'before' : 'after';
    const { ids, code } = await askPage(
      gateway,
      `${next}, ${side}: "${isBack ? start : end}"`,
    );

    expect(code ?? ids.join('')).toBe(expected);
  });

  test.each([[false], [true]])(
    'whichever item moves, no other is lost or repeated (backward: %s)',
    async (backward) => {
      await using upstream = await startList([], service);
      await using gateway = await startTestGateway(upstream.url, { PAGING: paging });
      const fill = (ids: readonly string[]) =>
        upstream.ids.splice(0, upstream.ids.length, ...ids);

      for (let seed = 1; seed <= ROUNDS; seed += 1) {
        const { below: random } = createRandom(seed);
        const before = Array.from({ length: 4 + random(30) }, (_, index) => `i${index}`);
        fill(before);
        // So many that the order of the others tells which of them has moved.
        const size = 4 + random(4);
        const page = await askPage(gateway, `${backward ? 'last' : 'first'}: ${size}`);
        const own = before.indexOf((backward ? page.ids[0] : page.ids.at(-1)) ?? '');
        // Asked by its id, the service goes on from where the item is now: whether that moved does not show.
        const kept = paging === 'starting_after' ? before[own] : undefined;
        const { after, moved } = move(before, random, kept);
        fill(after);

        const next = await askPage(
          gateway,
          backward
            ? `last: 5, before: "${page.start}"`
            : `first: 5, after: "${page.end}"`,
        );

        const beyond = backward ? before.slice(0, own).reverse() : before.slice(own + 1);
        const due = beyond.filter((id) => id !== moved);
        const seen = backward ? next.ids.toReversed() : next.ids;
        const known = seen.filter((id) => id !== moved);
        const hasMore = backward ? next.hasPrevious : next.hasNext;
        expect({ seed, code: next.code, known }).toEqual({
          seed,
          code: undefined,
          known: due.slice(0, known.length),
        });
        expect({ seed, hasMore, rest: hasMore ? [] : due.slice(known.length) }).toEqual({
          seed,
          hasMore,
          rest: [],
        });
      }
    },
  );
});

const ROUNDS = 60;

/** Puts one item elsewhere, at least two places away: of two neighbours that change places either may have moved. */
function move(
  ids: readonly string[],
  random: (below: number) => number,
  kept: string | undefined,
): { after: string[]; moved: string } {
  for (;;) {
    const from = random(ids.length);
    const to = random(ids.length);
    const moved = ids[from] ?? '';
    if (Math.abs(from - to) < 2 || moved === kept) continue;
    return { after: ids.toSpliced(from, 1).toSpliced(to, 0, moved), moved };
  }
}
