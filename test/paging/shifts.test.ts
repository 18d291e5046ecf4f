import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { type ListOptions, startList } from '../support/list.ts';
import { askPage } from '../support/pager.ts';

const USUAL = { after: 'starting_after', before: 'ending_before' };

interface Case {
  readonly what: string;
  readonly paging: string;
  readonly service: ListOptions;
  readonly list: string;
  /** The page that gives the cursor: its start when it pages backward, else its end. */
  readonly first: string;
  readonly later: string;
  readonly next: string;
  /** The ids expected, or a code. */
  readonly expected: string;
}

const CASES: Case[] = [
  ...[1, 2, 3, 4].map((size) => ({
    what: `items added at the head while paging backward by ${size}`,
    paging: 'starting_after',
    service: USUAL,
    list: 'abcdefg',
    first: 'last: 6',
    later: '123abcdefg',
    next: `last: ${size}`,
    expected: '123a'.slice(-size),
  })),
  {
    what: 'the last item but one is asked for again after an addition',
    paging: 'starting_after',
    service: USUAL,
    list: 'abc',
    first: 'last: 1',
    later: '1abc',
    next: 'last: 1',
    expected: 'b',
  },
  {
    what: 'a cursor pushed beyond a silent cap while paging backward',
    paging: 'limit',
    service: { maxLimit: 10 },
    list: 'abcdefghij',
    first: 'last: 1',
    later: '123abcdefghij',
    next: 'last: 3',
    expected: 'PAGE_OUT_OF_REACH',
  },
  {
    what: "an item added between the cursor's living item and its predecessor",
    paging: 'limit',
    service: {},
    list: 'abcd',
    first: 'first: 2',
    later: '1a2bcd',
    next: 'first: 1',
    expected: 'c',
  },
  {
    what: "many items added in front of the cursor's living item",
    paging: 'limit',
    service: {},
    list: 'abcdefgh',
    first: 'last: 4',
    later: '1abcd234567efgh',
    next: 'last: 2',
    expected: '67',
  },
  {
    what: "an item added in front of the cursor's living item, which has become the last",
    paging: 'starting_after',
    service: USUAL,
    list: 'abc',
    first: 'first: 2',
    later: 'a1b',
    next: 'first: 1',
    expected: '',
  },
  {
    what: 'a service without a way back, and a list that has shifted',
    paging: 'starting_after',
    service: { after: 'starting_after' },
    list: 'abcdefg',
    first: 'last: 3',
    later: '12bcdefg',
    next: 'last: 3',
    expected: 'bcd',
  },
  {
    what: 'a service that refuses a `limit` of 100, and a short list',
    paging: 'limit',
    service: { maxLimit: 50, refuse: 422 },
    list: 'abcdefghijkl',
    first: 'last: 5',
    later: 'abcdefghijkl',
    next: 'last: 5',
    expected: 'cdefg',
  },
];

describe.each(CASES)(
  'PAGING=$paging: $what',
  ({ paging, service, list, first, later, next, expected }) => {
    test('neither loses nor repeats', async () => {
      await using upstream = await startList([...list], service);
      await using gateway = await startTestGateway(upstream.url, {
        PAGING: paging,
        MAX_PAGE_SIZE: '50',
      });
      const page = await askPage(gateway, first);
      expect(page.code).toBeUndefined();
      upstream.ids.splice(0, upstream.ids.length, ...later);

      const cursor = next.startsWith('last')
        ? `before: "${page.start}"`
        : `after: "${page.end}"`;
      const { ids, code } = await askPage(gateway, `${next}, ${cursor}`);

      expect(code ?? ids.join('')).toBe(expected);
    });
  },
);

describe('malformed items without an id, when others are deleted', () => {
  test.each([
    ['limit', {}],
    ['starting_after', USUAL],
    ['offset', { offset: 'offset' }],
    ['page', { page: 'page' }],
  ])('do not lead to an empty page with nowhere to go: %s', async (paging, service) => {
    const list = ['a', ...Array.from({ length: 9 }, (_, index) => `!${index}`)];
    await using upstream = await startList(list, service);
    await using gateway = await startTestGateway(upstream.url, { PAGING: paging });
    const { start } = await askPage(gateway, 'last: 4');
    upstream.ids.splice(1);

    const page = await askPage(gateway, `last: 2, before: "${start}"`);

    expect(page.code ?? page.ids).toSatisfy(
      (found) => found === 'PAGE_OUT_OF_REACH' || String(found) === 'a',
    );
  });

  test('do not cost an item that is still there', async () => {
    await using upstream = await startList(['!0', '1', '2', '3', '!4', '5']);
    await using gateway = await startTestGateway(upstream.url);
    const { start } = await askPage(gateway, 'last: 3');
    upstream.ids.splice(3, 2);

    const page = await askPage(gateway, `last: 3, before: "${start}"`);

    expect(page.ids).toEqual([null, '1', '2']);
  });
});
