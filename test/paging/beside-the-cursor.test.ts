import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/embedded/sample/random.ts';
import {
  BY_UNKNOWN_ID,
  LEARNING,
  LETTERS,
  type Pager,
  STYLES,
  type Style,
  startPager,
} from '../support/pager.ts';

/** Items come and go right where the client reads, and the client reads on. */
const ALL: readonly Style[] = [
  ...STYLES,
  ...LEARNING.filter(({ service }) => service.strict !== true),
];
/** With `offset` and `page`, a list that changes while it is searched ends a walk with an error. */
const UNTIRING = ALL.filter(({ name }) => name !== 'offset' && name !== 'page');

interface Walk {
  /** How many items the first page has. */
  readonly first: number;
  readonly size: number;
  readonly backward?: boolean;
  /** Runs before each further page. `at`: where the item is from which the client reads on. */
  readonly before: (turn: number, at: number) => void;
}

/** The ids in the order in which the client reads them. */
async function read(
  pager: Pager,
  { first, size, backward = false, before }: Walk,
): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  let args = `${backward ? 'last' : 'first'}: ${first}`;
  for (let turn = 0; turn < 300; turn += 1) {
    const page = await pager.page(args);
    if (page.code !== undefined) throw new Error(page.text);
    const read = backward ? page.ids.toReversed() : page.ids;
    ids.push(...read);
    if (!(backward ? page.hasPrevious : page.hasNext)) return ids;
    before(turn, pager.service.ids.indexOf(read.at(-1) ?? ''));
    args = backward
      ? `last: ${size}, before: "${page.start}"`
      : `first: ${size}, after: "${page.end}"`;
  }
  throw new Error('the walk does not end');
}

const CHANGES = [
  ['one item comes', 'abcXdefghijklmnopqrstuvwxyz'],
  ['one comes, and the head goes', 'bcXdefghijklmnopqrstuvwxyz'],
  ['several come', 'abcXYdZefghijklmnopqrstuvwxyz'],
  ['more come than a page has', 'abc01234567defghijklmnopqrstuvwxyz'],
] as const;

describe.each(ALL)('with $name, among the items just read', (style) => {
  test.each(
    CHANGES.flatMap(([what, later]) =>
      [1, 3].flatMap((size) =>
        [false, true].map((backward) => ({ what, later, size, backward })),
      ),
    ),
  )('$what: pages of $size repeat nothing (backward: $backward)', async (change) => {
    const { size, backward } = change;
    const turned = (ids: string) => (backward ? [...ids].reverse() : [...ids]);
    const later = turned(change.later);
    const pager = startPager(turned(LETTERS), style);

    const seen = await read(pager, {
      first: 5,
      size,
      backward,
      before(turn) {
        if (turn === 0) pager.become(later);
      },
    });

    expect(seen.filter((id) => LETTERS.includes(id ?? ''))).toEqual([...LETTERS]);
    expect(seen.length).toBe(new Set(seen).size);
  });
});

/** Adds or deletes an item at most five places from the client's. */
function changeBeside(ids: string[], at: number, name: string, random: Random): void {
  const index = Math.max(0, at - 5 + random.below(11));
  if (random.chance(0.5)) ids.splice(index, 0, name);
  else if (ids.length > 30) ids.splice(index, 1);
}

type Random = ReturnType<typeof createRandom>;

test.each(UNTIRING)(
  'with $name, a walk loses and repeats nothing while the list changes beside it with every call',
  async (style) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const random = createRandom(seed);
      const list = Array.from({ length: 60 }, (_, index) => `i${index}`);
      let added = 0;
      let place = 0;
      const afterEach = (ids: string[]) => {
        added += 1;
        changeBeside(ids, place, `n${added}`, random);
      };
      const service = { ...style.service, afterEach };
      const pager = startPager(list, { ...style, service });

      const size = 3 + (seed % 7);
      const seen = await read(pager, {
        first: size,
        size,
        backward: seed % 5 === 0,
        before(_turn, at) {
          place = at;
        },
      });

      const left = list.filter((id) => pager.service.ids.includes(id));
      const doubled = seen.filter((id, index) => seen.indexOf(id) !== index);
      const lost = left.filter((id) => !seen.includes(id));
      expect({ seed, doubled, lost }).toEqual({ seed, doubled: [], lost: [] });
    }
  },
);

test.each(
  [...BY_UNKNOWN_ID.slice(2), ...LEARNING.slice(2, 4)].flatMap((style) =>
    [false, true].map((backward) => ({ ...style, backward })),
  ),
)(
  'with $name, items that come between the cursor and the item beside it let no item come twice (backward: $backward)',
  async ({ backward, ...style }) => {
    const turned = (ids: string) => (backward ? [...ids].reverse() : [...ids]);
    const settings = { ...style.settings };
    if (style.service.unknown === 'first') settings.PAGING_UNKNOWN_ID = 'first';
    const pager = startPager(turned(LETTERS), { ...style, settings });

    const seen = await read(pager, {
      first: 5,
      size: 1,
      backward,
      before(turn) {
        if (turn === 0) pager.become(turned('abcd12efghijklmnopqrstuvwxyz'));
      },
    });

    expect(seen.filter((id) => LETTERS.includes(id ?? ''))).toEqual([...LETTERS]);
  },
);
