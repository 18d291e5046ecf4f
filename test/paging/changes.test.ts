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

/** A client reads one page, the list changes, the client reads the next one. */
interface Changes {
  readonly list: string;
  readonly page: string;
  readonly next: string;
  /** Default: all. */
  readonly styles?: readonly Style[];
  /** What happened, the list after it, and the next page as text: `<` and `>` are where there is more. */
  readonly cases: readonly (readonly [what: string, later: string, expected: string])[];
}

const ALL = [...STYLES, ...BY_UNKNOWN_ID, ...LEARNING];
const GONE = "PAGE_OUT_OF_REACH: The cursor's item and all";
const THIRTY = '0123456789ABCDEFGHIJKLMNOPQRST';

const AFTER_E: Changes = {
  list: LETTERS,
  page: 'first: 5',
  next: 'first: 5, after: e',
  cases: [
    ['items were added at the head', `123${LETTERS}`, '<fghij>'],
    ['many items were added at the head', `${THIRTY}${LETTERS}`, '<fghij>'],
    ['the head was deleted', 'defghijklmnopqrstuvwxyz', '<fghij>'],
    ["the cursor's item was deleted", 'abcdfghijklmnopqrstuvwxyz', '<fghij>'],
    ['it was deleted with its neighbours', 'afghijklmnopqrstuvwxyz', '<fghij>'],
    ['the next items were deleted', 'abcdehijklmnopqrstuvwxyz', '<hijkl>'],
    ['it was deleted, and the head is new', '12abcdfghijklmnopqrstuvwxyz', '<fghij>'],
    ['items were added after the cursor', 'abcde12fghijklmnopqrstuvwxyz', '<12fgh>'],
    ['the list was emptied', '', ''],
  ],
};

const AFTER_J: Changes = {
  list: LETTERS,
  page: 'first: 10',
  next: 'first: 5, after: j',
  cases: [
    [
      "the cursor's item was deleted with all neighbours but one",
      'abcdefklmnopqrstuvwxyz',
      '<klmno>',
    ],
    ['it was deleted with the head', 'bcdefghiklmnopqrstuvwxyz', '<klmno>'],
    ['others took its place', 'abcdefghi12klmnopqrstuvwxyz', '<12klm>'],
    ['it was deleted with all its neighbours', 'aklmnopqrstuvwxyz', GONE],
  ],
};

const BEFORE_Q: Changes = {
  list: LETTERS,
  page: 'last: 10',
  next: 'last: 5, before: q',
  cases: [
    [
      "the cursor's item was deleted with all neighbours but one",
      'abcdefghijklmnopuvwxyz',
      '<lmnop>',
    ],
    ['it was deleted with the head', 'bcdefghijklmnoprstuvwxyz', '<lmnop>'],
  ],
};

const BEFORE_V: Changes = {
  list: LETTERS,
  page: 'last: 10',
  next: 'last: 5, before: v',
  cases: [
    ['items were added at the head', `123${LETTERS}`, '<qrstu>'],
    ['many items were added at the head', `${THIRTY}${LETTERS}`, '<qrstu>'],
    ["the cursor's item was deleted", 'abcdefghijklmnopqrstuwxyz', '<qrstu>'],
    ['it was deleted with its neighbours', 'abcdefghijklmnopqrstuz', '<qrstu>'],
    ['it was deleted, and the head is new', '123abcdefghijklmnopqrstuwxyz', '<qrstu>'],
    ['it was deleted with all that follows', 'abcdefghijklmnopqrstu', '<qrstu'],
    ['the items before it were deleted', 'abcdefghijklmnopqrsvwxyz', '<opqrs>'],
  ],
};

/** The first and the last page are told from the answer to an unknown id. */
const AT_THE_ENDS: Changes[] = [
  {
    list: LETTERS,
    page: 'first: 26',
    next: 'after: z',
    cases: [
      ['the cursor is at the end', LETTERS, '<'],
      ['the last item was deleted', 'abcdefghijklmnopqrstuvwxy', '<'],
      ['others took its place', 'abcdefghijklmnopqrstuvwxy12', '<12'],
    ],
  },
  {
    list: LETTERS,
    page: 'first: 26',
    next: 'before: a',
    cases: [['the cursor is at the head', LETTERS, '>']],
  },
  {
    list: LETTERS,
    page: 'last: 1',
    next: 'before: z',
    cases: [['nothing changed', LETTERS, '<pqrstuvwxy>']],
  },
];

/** Conversations move when there is activity in them. */
const MOVES: Changes[] = [
  {
    list: 'abcdefghijkl',
    page: 'first: 5',
    next: 'first: 10, after: e',
    cases: [
      ['the head moved to the end', 'bcdefghijkla', '<fghijkl'],
      ["the cursor's item moved to the end", 'abcdfghijkle', '<fghijkl'],
      ['it was deleted, and the item before it moved', 'abcfghijkld', '<fghijkl'],
    ],
  },
  {
    list: 'abcdefghijkl',
    page: 'first: 3',
    next: 'first: 10, after: c',
    cases: [['the head moved behind the cursor', 'bcdefaghijkl', '<defghijkl']],
  },
  {
    list: 'abcdefghijkl',
    page: 'first: 5',
    next: 'last: 10, before: e',
    cases: [['the head moved behind the cursor', 'bcdefaghijkl', 'bcd>']],
  },
  {
    list: 'abcdefghijkl',
    page: 'first: 5',
    next: 'first: 4, after: e',
    cases: [["the cursor's item moved to the head", 'eabcdfghijkl', '<fghi>']],
  },
  {
    list: 'abcdefghijkl',
    page: 'first: 2',
    next: 'first: 3, after: b',
    cases: [['the first two changed places', 'bacdefghijkl', '<cde>']],
  },
];

const SHORT_PAGES = { MAX_PAGE_SIZE: '50' };
const withService = (style: Style, service: Style['service']): Style[] => [
  { ...style, service, settings: { ...style.settings, ...SHORT_PAGES } },
];

const OTHERS: Changes[] = [
  {
    // A service that answers an unknown id with its first page goes on correctly here, by chance.
    styles: ALL.filter(({ service }) => service.unknown !== 'first'),
    list: LETTERS,
    page: 'first: 5',
    next: 'first: 5, after: e',
    cases: [['the cursor and all its neighbours were deleted', LETTERS.slice(5), GONE]],
  },
  ...[1, 2, 3, 4].map((size) => ({
    list: 'abcdefg',
    page: 'last: 6',
    next: `last: ${size}, before: b`,
    cases: [
      [
        'items were added at the head',
        '123abcdefg',
        `${size < 4 ? '<' : ''}${'123a'.slice(-size)}>`,
      ] as const,
    ],
  })),
  {
    list: 'abc',
    page: 'last: 1',
    next: 'last: 1, before: c',
    cases: [['an item was added at the head', '1abc', '<b>']],
  },
  {
    list: 'abcd',
    page: 'first: 2',
    next: 'first: 1, after: b',
    cases: [['an item was added before the cursor', '1a2bcd', '<c>']],
  },
  {
    list: 'abcdefgh',
    page: 'last: 4',
    next: 'last: 2, before: e',
    cases: [['many items were added before the cursor', '1abcd234567efgh', '<67>']],
  },
  {
    list: 'abc',
    page: 'first: 2',
    next: 'first: 1, after: b',
    cases: [['the cursor became the end', 'a1b', '<']],
  },
  {
    styles: withService(BY_LIMIT, { maxLimit: 10 }),
    list: 'abcdefghij',
    page: 'last: 1',
    next: 'last: 3, before: j',
    cases: [
      ['the cursor moved beyond a silent cap', '123abcdefghij', 'PAGE_OUT_OF_REACH'],
    ],
  },
  {
    styles: withService(BY_ID, { after: 'starting_after' }),
    list: 'abcdefg',
    page: 'last: 3',
    next: 'last: 3, before: e',
    cases: [['the service has no way back', '12bcdefg', '<bcd>']],
  },
  {
    styles: withService(BY_LIMIT, { maxLimit: 50, refuse: 422 }),
    list: 'abcdefghijkl',
    page: 'last: 5',
    next: 'last: 5, before: h',
    cases: [['the service refuses a `limit` of 100', 'abcdefghijkl', '<cdefg>']],
  },
];

const ROWS = [
  AFTER_E,
  AFTER_J,
  BEFORE_Q,
  BEFORE_V,
  ...AT_THE_ENDS,
  ...MOVES,
  ...OTHERS,
].flatMap(({ styles = ALL, cases, ...rest }) =>
  styles.flatMap((style) =>
    cases.map(([what, later, expected]) => ({ ...rest, style, what, later, expected })),
  ),
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
