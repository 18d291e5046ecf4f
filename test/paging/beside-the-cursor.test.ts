import { describe, expect, test } from 'vitest';
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
interface Walk {
  /** How many items the first page has. */
  readonly first: number;
  readonly size: number;
  readonly backward?: boolean;
  /** Runs before each further page. `at`: where the item is from which the client reads on. */
  readonly before: (turn: number) => void;
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
    before(turn);
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
