import { describe, expect, test } from 'vitest';
import {
  LEARNING,
  type Pager,
  STYLES,
  type Style,
  startPager,
} from '../support/pager.ts';

/** Malformed items have no id. They keep their place between the others. */
const ALL: readonly Style[] = [
  ...STYLES,
  {
    name: 'starting_after, and an item repeated by each page',
    service: { after: 'starting_after', before: 'ending_before', unknown: 'first' },
    settings: { PAGING: 'starting_after', PAGING_UNKNOWN_ID: 'first' },
  },
  ...LEARNING.filter(({ service }) => service.strict !== true),
];
const LISTS = [
  ['one now and then', 'ab!defghij!lmnopqr!tuvwxyz'],
  ['two in a row', 'abcdefghijkl!!opqrstuv!!yz'],
  ['every other one', 'a!c!e!g!i!k!m!o!q!s!u!w!y'],
  ['the first and the last', '!bcdefghijklmnopqrstuvwxy!'],
] as const;

interface Options {
  readonly size: number;
  readonly backward: boolean;
}

/** The ids of a whole walk as a text, `!` where an item is malformed. */
async function read(pager: Pager, { size, backward }: Options): Promise<string> {
  let text = '';
  let args = backward ? `last: ${size}` : `first: ${size}`;
  for (let turn = 0; turn < 100; turn += 1) {
    const { ids, hasNext, hasPrevious, start, end, code, message } =
      await pager.page(args);
    // The other errors are those of malformed items.
    if (code !== undefined) expect(code, message).toBe('UPSTREAM_INVALID_RESPONSE');
    const page = ids.map((id) => id ?? '!').join('');
    text = backward ? page + text : text + page;
    if (!(backward ? hasPrevious : hasNext)) return text;
    args = backward
      ? `last: ${size}, before: "${start}"`
      : `first: ${size}, after: "${end}"`;
  }
  throw new Error('the walk does not end');
}

describe.each(ALL)('with $name', (style) => {
  test.each(
    LISTS.flatMap(([what, letters]) =>
      [1, 3].flatMap((size) =>
        [false, true].map((backward) => ({ what, letters, size, backward })),
      ),
    ),
  )(
    'items without an id are neither lost nor repeated: $what, pages of $size (backward: $backward)',
    async ({ letters, ...options }) => {
      const list = Array.from(letters, (letter, index) =>
        letter === '!' ? `!${index}` : letter,
      );
      const pager = startPager(list, style);

      // The second walk uses what the first one has learned from the beginning.
      for (let turn = 0; turn < 2; turn += 1)
        expect(await read(pager, options)).toBe(letters);
    },
  );
});
