import { describe, expect, test } from 'vitest';
import {
  BY_ID,
  BY_LIMIT,
  BY_UNKNOWN_ID,
  LEARNING,
  LETTERS,
  STYLES,
  type Style,
  startPager,
} from '../support/pager.ts';

/** What happened, the list after it, and the next page as text: `<` and `>` are where there is more. */
type Case = readonly [what: string, later: string, expected: string];

const ALL = [...STYLES, ...BY_UNKNOWN_ID, ...LEARNING];
const GONE = "PAGE_OUT_OF_REACH: The cursor's item and all";
const THIRTY = '0123456789ABCDEFGHIJKLMNOPQRST';

/** A client reads one page of a list, the list changes, the client reads the next one. */
const between = (list: string, page: string, next: string, cases: readonly Case[]) =>
  cases.map(([what, later, expected]) => ({ list, page, next, what, later, expected }));

const IN_ALL_STYLES = [
  ...between(LETTERS, 'first: 5', 'first: 5, after: e', [
    ['items were added at the head', `123${LETTERS}`, '<fghij>'],
    ['many items were added at the head', `${THIRTY}${LETTERS}`, '<fghij>'],
    ['the head was deleted', 'defghijklmnopqrstuvwxyz', '<fghij>'],
    ["the cursor's item was deleted", 'abcdfghijklmnopqrstuvwxyz', '<fghij>'],
    ['it was deleted with its neighbours', 'afghijklmnopqrstuvwxyz', '<fghij>'],
    ['the next items were deleted', 'abcdehijklmnopqrstuvwxyz', '<hijkl>'],
    ['it was deleted, and the head is new', '12abcdfghijklmnopqrstuvwxyz', '<fghij>'],
    ['items were added after the cursor', 'abcde12fghijklmnopqrstuvwxyz', '<12fgh>'],
    ['the list was emptied', '', ''],
  ]),
  ...between(LETTERS, 'first: 10', 'first: 5, after: j', [
    [
      "the cursor's item was deleted with all neighbours but one",
      'abcdefklmnopqrstuvwxyz',
      '<klmno>',
    ],
    ['it was deleted with the head', 'bcdefghiklmnopqrstuvwxyz', '<klmno>'],
    ['others took its place', 'abcdefghi12klmnopqrstuvwxyz', '<12klm>'],
    ['it was deleted with all its neighbours', 'aklmnopqrstuvwxyz', GONE],
  ]),
  ...between(LETTERS, 'last: 10', 'last: 5, before: q', [
    [
      "the cursor's item was deleted with all neighbours but one",
      'abcdefghijklmnopuvwxyz',
      '<lmnop>',
    ],
    ['it was deleted with the head', 'bcdefghijklmnoprstuvwxyz', '<lmnop>'],
  ]),
  ...between(LETTERS, 'last: 10', 'last: 5, before: v', [
    ['items were added at the head', `123${LETTERS}`, '<qrstu>'],
    ['many items were added at the head', `${THIRTY}${LETTERS}`, '<qrstu>'],
    ["the cursor's item was deleted", 'abcdefghijklmnopqrstuwxyz', '<qrstu>'],
    ['it was deleted with its neighbours', 'abcdefghijklmnopqrstuz', '<qrstu>'],
    ['it was deleted, and the head is new', '123abcdefghijklmnopqrstuwxyz', '<qrstu>'],
    ['it was deleted with all that follows', 'abcdefghijklmnopqrstu', '<qrstu'],
    ['the items before it were deleted', 'abcdefghijklmnopqrsvwxyz', '<opqrs>'],
  ]),
  // The first and the last page are told from the answer to an unknown id.
  ...between(LETTERS, 'first: 26', 'after: z', [
    ['the cursor is at the end', LETTERS, '<'],
    ['the last item was deleted', 'abcdefghijklmnopqrstuvwxy', '<'],
    ['others took its place', 'abcdefghijklmnopqrstuvwxy12', '<12'],
  ]),
  ...between(LETTERS, 'first: 26', 'before: a', [
    ['the cursor is at the head', LETTERS, '>'],
  ]),
  ...between(LETTERS, 'last: 1', 'before: z', [
    ['nothing changed', LETTERS, '<pqrstuvwxy>'],
  ]),
  // Conversations move when there is activity in them.
  ...between('abcdefghijkl', 'first: 5', 'first: 10, after: e', [
    ['the head moved to the end', 'bcdefghijkla', '<fghijkl'],
    ["the cursor's item moved to the end", 'abcdfghijkle', '<fghijkl'],
    ['it was deleted, and the item before it moved', 'abcfghijkld', '<fghijkl'],
  ]),
  ...between('abcdefghijkl', 'first: 3', 'first: 10, after: c', [
    ['the head moved behind the cursor', 'bcdefaghijkl', '<defghijkl'],
  ]),
  ...between('abcdefghijkl', 'first: 5', 'last: 10, before: e', [
    ['the head moved behind the cursor', 'bcdefaghijkl', 'bcd>'],
  ]),
  ...between('abcdefghijkl', 'first: 5', 'first: 4, after: e', [
    ["the cursor's item moved to the head", 'eabcdfghijkl', '<fghi>'],
  ]),
  ...between('abcdefghijkl', 'first: 2', 'first: 3, after: b', [
    ['the first two changed places', 'bacdefghijkl', '<cde>'],
  ]),
  ...between('abcdefg', 'last: 6', 'last: 1, before: b', [
    ['items were added at the head', '123abcdefg', '<a>'],
  ]),
  ...between('abcdefg', 'last: 6', 'last: 2, before: b', [
    ['items were added at the head', '123abcdefg', '<3a>'],
  ]),
  ...between('abcdefg', 'last: 6', 'last: 3, before: b', [
    ['items were added at the head', '123abcdefg', '<23a>'],
  ]),
  ...between('abcdefg', 'last: 6', 'last: 4, before: b', [
    ['items were added at the head', '123abcdefg', '123a>'],
  ]),
  ...between('abc', 'last: 1', 'last: 1, before: c', [
    ['an item was added at the head', '1abc', '<b>'],
  ]),
  ...between('abcd', 'first: 2', 'first: 1, after: b', [
    ['an item was added before the cursor', '1a2bcd', '<c>'],
  ]),
  ...between('abcdefgh', 'last: 4', 'last: 2, before: e', [
    ['many items were added before the cursor', '1abcd234567efgh', '<67>'],
  ]),
  ...between('abc', 'first: 2', 'first: 1, after: b', [
    ['the cursor became the end', 'a1b', '<'],
  ]),
];

const SHORT_PAGES = { MAX_PAGE_SIZE: '50' };
const withService = (style: Style, service: Style['service']): Style[] => [
  { ...style, service, settings: { ...style.settings, ...SHORT_PAGES } },
];

const ROWS = [
  { styles: ALL, rows: IN_ALL_STYLES },
  {
    // A service that answers an unknown id with its first page goes on correctly here, by chance.
    styles: ALL.filter(({ service }) => service.unknown !== 'first'),
    rows: between(LETTERS, 'first: 5', 'first: 5, after: e', [
      ['the cursor and all its neighbours were deleted', LETTERS.slice(5), GONE],
    ]),
  },
  {
    styles: withService(BY_LIMIT, { maxLimit: 10 }),
    rows: between('abcdefghij', 'last: 1', 'last: 3, before: j', [
      ['the cursor moved beyond a silent cap', '123abcdefghij', 'PAGE_OUT_OF_REACH'],
    ]),
  },
  {
    styles: withService(BY_ID, { after: 'starting_after' }),
    rows: between('abcdefg', 'last: 3', 'last: 3, before: e', [
      ['the service has no way back', '12bcdefg', '<bcd>'],
    ]),
  },
  {
    styles: withService(BY_LIMIT, { maxLimit: 50, refuse: 422 }),
    rows: between('abcdefghijkl', 'last: 5', 'last: 5, before: h', [
      ['the service refuses a `limit` of 100', 'abcdefghijkl', '<cdefg>'],
    ]),
  },
].flatMap(({ styles, rows }) =>
  styles.flatMap((style) => rows.map((row) => ({ ...row, style }))),
);

describe('the next page is right although', () => {
  test.each(ROWS)(
    '$what: "$next" of $later ($style.name)',
    async ({ style, list, page, later, next, expected }) => {
      const pager = startPager(list, style);
      expect((await pager.page(page)).code).toBeUndefined();
      pager.become(later);

      const { code, text } = await pager.page(next);

      // Of an error, only the beginning of the message is given.
      expect(code ? text.slice(0, expected.length || undefined) : text).toBe(expected);
    },
  );
});
