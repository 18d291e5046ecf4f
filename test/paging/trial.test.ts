import { expect, test } from 'vitest';
import { type Reading, tryParameter } from '../../src/paging/trial.ts';

const KNOWN = Array.from('abcdefghijkl');
const COUNTS: readonly Reading[] = ['offset', 'page', 'page from zero'];
const BY_ID: readonly Reading[] = ['after', 'before'];

test.each<
  [
    what: string,
    page: string,
    readings: readonly Reading[],
    at: number,
    tolerance: number,
    found: unknown,
  ]
>([
  ['the page after the item', 'gh', BY_ID, 5, 0, ['after']],
  ['the page before the item', 'de', BY_ID, 5, 0, ['before']],
  ['items from a number on', 'de', COUNTS, 3, 0, ['offset']],
  ['the page of a number', 'ef', COUNTS, 3, 0, ['page']],
  ['the head of the list', 'ab', BY_ID, 5, 0, 'first page'],
  ['the page from the item on', 'fg', BY_ID, 5, 0, 'including'],
  ['nothing', '', BY_ID, 5, 0, 'empty'],
  ['less than a page', 'g', BY_ID, 5, 0, 'elsewhere'],
  ['a page with a new item', 'gx', BY_ID, 5, 0, 'elsewhere'],
  ['a page with a new item', 'gx', BY_ID, 5, 2, ['after']],
  ['a page without an item', 'hi', BY_ID, 5, 0, 'elsewhere'],
  ['a page without an item', 'hi', BY_ID, 5, 2, ['after']],
  ['a head with a new item', 'xa', BY_ID, 5, 0, 'elsewhere'],
  ['a head with a new item', 'xa', BY_ID, 5, 2, 'first page'],
])(
  'a parameter that leads to %s (%s)',
  async (_, page, readings, at, tolerance, found) => {
    const read = async () => ({ ids: Array.from(page), hasMore: true });
    const head = { known: KNOWN, tolerance, isAnySize: false };

    const question = { param: 'p', at, limit: 2, readings };
    expect(await tryParameter(read, head, question)).toEqual(found);
  },
);
