import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/embedded/sample/random.ts';
import {
  BY_ID,
  BY_UNKNOWN_ID,
  LEARNING,
  STYLES,
  type Style,
  startPager,
} from '../support/pager.ts';

type Random = (below: number) => number;

/** One page is read, the list changes at random, the next page is read. */
interface Change {
  readonly what: string;
  readonly rounds: number;
  readonly minLength: number;
  toSize(random: Random): number;
  /** The list afterwards, and an item that may come at any place from now on. */
  apply(ids: readonly string[], random: Random, fixed: string | null): Changed;
}

interface Changed {
  readonly after: readonly string[];
  readonly moved: string | null;
}

const CHANGES: Change[] = [
  {
    what: 'items come and go',
    rounds: 150,
    minLength: 1,
    toSize: (random) => 1 + random(6),
    apply: (ids, random) => ({ after: addAndDelete(ids, random), moved: null }),
  },
  {
    what: 'one item moves',
    rounds: 60,
    // Fewer items would not show which of them has moved.
    minLength: 4,
    toSize: (random) => 4 + random(4),
    apply: move,
  },
];

/** Adds up to five items and deletes up to five, anywhere. */
function addAndDelete(ids: readonly string[], random: Random): string[] {
  const changed = [...ids];
  for (let count = random(6); count > 0; count -= 1)
    changed.splice(random(changed.length + 1), 1);
  for (let count = random(6); count > 0; count -= 1)
    changed.splice(random(changed.length + 1), 0, `n${count}`);
  return changed;
}

/** Moves an item by two places or more: if two neighbours change places, either may have moved. */
function move(ids: readonly string[], random: Random, fixed: string | null): Changed {
  for (;;) {
    const from = random(ids.length);
    const to = random(ids.length);
    const moved = ids[from] ?? '';
    if (Math.abs(from - to) < 2 || moved === fixed) continue;
    return { after: ids.toSpliced(from, 1).toSpliced(to, 0, moved), moved };
  }
}

const isById = ({ settings }: Style) => settings.PAGING === 'starting_after';
const SERVICES: Style[] = [
  ...STYLES,
  ...BY_UNKNOWN_ID.filter(({ service }) => service.unknown === 'empty'),
  { ...BY_ID, name: 'starting_after, no way back', service: { after: 'starting_after' } },
  ...LEARNING,
];

const GRID = SERVICES.flatMap((style) =>
  CHANGES.flatMap((change) =>
    [false, true].map((backward) => ({ style, change, backward })),
  ),
);

describe.each(GRID)(
  'with PAGING=$style.name, if $change.what (backward: $backward)',
  ({ style, change, backward }) => {
    test('the next page neither loses nor repeats an item', async () => {
      const pager = startPager([], style);

      for (let seed = 1; seed <= change.rounds; seed += 1) {
        const { below: random } = createRandom(seed);
        const length = change.minLength + random(30);
        const before = Array.from({ length }, (_, index) => `i${index}`);
        pager.become(before);
        const page = await pager.page(
          `${backward ? 'last' : 'first'}: ${change.toSize(random)}`,
        );
        const own = (backward ? page.ids[0] : page.ids.at(-1)) ?? '';
        // Asked by an id, the service continues from where that item is now: a move of it does not show.
        const fixed = isById(style) ? own : null;
        const { after, moved } = change.apply(before, random, fixed);
        pager.become(after);

        const size = change.toSize(random);
        const next = await pager.page(
          backward ? `last: ${size}, before: ${own}` : `first: ${size}, after: ${own}`,
        );

        if (next.code !== undefined && !after.includes(own)) {
          expect({ seed, code: next.code }).toEqual({ seed, code: 'PAGE_OUT_OF_REACH' });
          continue;
        }
        const at = before.indexOf(own);
        const beyond = backward ? before.slice(0, at).reverse() : before.slice(at + 1);
        const due = beyond.filter((id) => after.includes(id) && id !== moved);
        const seen = backward ? next.ids.toReversed() : next.ids;
        const known = seen.filter((id) => before.includes(id ?? '') && id !== moved);
        const hasMore = backward ? next.hasPrevious : next.hasNext;
        expect({ seed, code: next.code, known }).toEqual({
          seed,
          code: undefined,
          known: due.slice(0, hasMore ? known.length : due.length),
        });
        if (hasMore)
          expect({ seed, length: seen.length }).toEqual({ seed, length: size });
      }
    });
  },
);

const BY_ANY_ID = LEARNING.filter(
  ({ service }) => 'after' in service && 'before' in service,
);

test.each(BY_ANY_ID)(
  'with $name, a walk loses and repeats nothing while the list changes with every call, also while the gateway learns',
  async (style) => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const random = createRandom(seed);
      let added = 0;
      const afterEach = (ids: string[]) => {
        added += 1;
        if (random.chance(0.6)) {
          const at = random.chance(0.5) ? 0 : random.below(ids.length + 1);
          ids.splice(at, 0, `n${added}`);
        } else if (ids.length > 40) ids.splice(random.below(ids.length), 1);
      };
      const list = Array.from({ length: 60 }, (_, index) => `i${index}`);
      const pager = startPager(list, {
        ...style,
        service: { ...style.service, afterEach },
      });

      const seen = await pager.walk({ size: 3 + (seed % 7), backward: seed % 5 === 0 });

      const left = list.filter((id) => pager.service.ids.includes(id));
      expect({ seed, doubled: seen.length - new Set(seen).size }).toEqual({
        seed,
        doubled: 0,
      });
      expect({ seed, lost: left.filter((id) => !seen.includes(id)) }).toEqual({
        seed,
        lost: [],
      });
    }
  },
);
