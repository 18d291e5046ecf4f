import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startList } from '../support/list.ts';
import { askPage, STYLES } from '../support/pager.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

describe('page arguments', () => {
  test.each([
    ['first and last', 'first: 1, last: 1'],
    ['first with before', 'first: 1, before: "x"'],
    ['last with after', 'last: 1, after: "x"'],
    ['after with before', 'after: "x", before: "x"'],
    ['first: 0', 'first: 0'],
    ['last: 0', 'last: 0'],
    ['a negative number', 'first: -1'],
    ['first above MAX_PAGE_SIZE', 'first: 101'],
    ['last above MAX_PAGE_SIZE', 'last: 101'],
    ['text that is not a cursor', 'after: "x"'],
    ['an empty cursor', 'before: ""'],
  ])('are refused before any call: %s', async (_what, args) => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);

    const page = await askPage(gateway, args);

    expect(page.code).toBe('BAD_USER_INPUT');
    expect(upstream.calls).toEqual([]);
  });

  test('that are refused leave the other fields their data', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);

    const { data, errors } = await gateway.ask(
      '{ bad: messages(first: 0) { nodes { id } } good: messages(first: 1) { nodes { id } } }',
    );

    expect(data).toEqual({ bad: null, good: { nodes: [{ id: 'a' }] } });
    expect(errors).toHaveLength(1);
  });

  test('that are null count as left out', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);

    const page = await askPage(
      gateway,
      'first: 2, after: null, last: null, before: null',
    );

    expect(page.ids).toEqual(['a', 'b']);
  });
});

test('a page may have MAX_PAGE_SIZE items, also by default, and no more', async () => {
  await using upstream = await startList(LETTERS);
  await using gateway = await startTestGateway(upstream.url, { MAX_PAGE_SIZE: '7' });

  expect((await askPage(gateway, 'first: 7')).ids).toHaveLength(7);
  expect((await askPage(gateway, '')).ids).toHaveLength(7);
  expect((await askPage(gateway, 'first: 8')).code).toBe('BAD_USER_INPUT');
});

test('a cursor of another list is refused', async () => {
  await using upstream = await startList(LETTERS);
  await using gateway = await startTestGateway(upstream.url);
  const { end } = await askPage(gateway, 'first: 3');

  const { errors } = await gateway.ask(
    `{ all: messages(after: "${end}") { nodes { id } }
       other: messages(conversationId: "c2", after: "${end}") { nodes { id } }
       muted: conversations(muted: true, after: "${end}") { nodes { id } } }`,
  );

  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(
    Array(3).fill('BAD_USER_INPUT'),
  );
  expect(upstream.calls).toHaveLength(1);
});

test('a cursor means the same to every replica', async () => {
  await using upstream = await startList(LETTERS);
  await using one = await startTestGateway(upstream.url);
  await using two = await startTestGateway(upstream.url);
  const { end } = await askPage(one, 'first: 3');

  expect((await askPage(two, `first: 3, after: "${end}"`)).ids).toEqual(['d', 'e', 'f']);
});

test('a filter that is false or null is not sent', async () => {
  await using upstream = await startList(LETTERS);
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(
    '{ conversations(muted: false, archived: null, pinned: true) { pageInfo { endCursor } } }',
  );
  await gateway.ask(
    '{ conversations(muted: true, archived: true, groupId: "g&1") { pageInfo { endCursor } } }',
  );

  expect(upstream.lines()).toEqual([
    'GET /v1/conversations?pinned=true&limit=10',
    'GET /v1/conversations?muted=true&archived=true&group_id=g%261&limit=10',
  ]);
});

/** Replaces parts of a real cursor, by index, and gives it a correct checksum, as an attacker who knows the format can. */
function forge(cursor: string, change: Record<number, unknown>): string {
  const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()).slice(0, -1);
  Object.assign(parts, change);
  const forged = [...parts, crc32(JSON.stringify(parts))];
  return Buffer.from(JSON.stringify(forged)).toString('base64url');
}

test.each([
  ['another version', { 0: 2 }],
  ['a negative position', { 2: -1 }],
  ['a position beyond all lists', { 2: 2 ** 53 }],
  ['an id that is not text', { 3: { $gt: '' } }],
  ['more neighbours than any cursor has', { 4: Array(99).fill('x') }],
  ['neighbours that are not a list', { 5: 'x' }],
])('a forged cursor is refused: %s', async (_what, change) => {
  await using upstream = await startList(LETTERS);
  await using gateway = await startTestGateway(upstream.url);
  const { end } = await askPage(gateway, 'first: 3');

  const page = await askPage(gateway, `after: "${forge(end, change)}"`);

  expect(page.code).toBe('BAD_USER_INPUT');
  expect(upstream.calls).toHaveLength(1);
});

test.each([
  ['limit', {}],
  ['starting_after', { after: 'starting_after', before: 'ending_before' }],
])(
  'a forged cursor costs no more calls than a real one: PAGING=%s',
  async (paging, service) => {
    const ids = Array.from({ length: 5000 }, (_, i) => `m${i}`);
    await using upstream = await startList(ids, service);
    await using gateway = await startTestGateway(upstream.url, { PAGING: paging });
    const { end } = await askPage(gateway, 'first: 3');
    const forged = forge(end, { 3: 'no such id', 4: ['a', 'b', 'c', 'd'] });

    const page = await askPage(gateway, `after: "${forged}"`);

    expect(page.code).toBe('PAGE_OUT_OF_REACH');
    expect(upstream.calls.length).toBeLessThanOrEqual(1 + 20);
  },
);

describe('a forged cursor with a position far beyond the list', () => {
  const FAR = { 2: 999_999_999 };

  test('makes no call if PAGING=limit, because one call would have to ask for all items before it', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url, { PAGING: 'limit' });
    const { start, end } = await askPage(gateway, 'first: 3');

    const after = await askPage(gateway, `after: "${forge(end, FAR)}"`);
    const before = await askPage(gateway, `before: "${forge(start, FAR)}"`);

    for (const { text } of [after, before]) {
      expect(text).toMatch(/^PAGE_OUT_OF_REACH: .* PAGING/);
    }
    expect(upstream.queries()).toEqual(['limit=3']);
  });

  test.each(STYLES)(
    'asks for no more items than a real one: PAGING=$name',
    async (style) => {
      await using upstream = await startList(LETTERS, style.service);
      await using gateway = await startTestGateway(upstream.url, style.settings);
      const { start, end } = await askPage(gateway, 'first: 3');

      for (const position of [99_000, 999_999_999, 1_000_000_000]) {
        await askPage(gateway, `after: "${forge(end, { 2: position })}"`);
        await askPage(gateway, `before: "${forge(start, { 2: position })}"`);
      }

      const most = style.name === 'limit' ? 100_000 : 100;
      const limits = upstream
        .queries()
        .map((query) => Number(/limit=(\d+)/.exec(query)?.[1]));
      expect(Math.max(...limits)).toBeLessThanOrEqual(most);
      expect(limits.length).toBeLessThanOrEqual(1 + 6 * 20);
    },
  );
});

test('the end of a list is found up to the highest limit that one call asks for', async () => {
  const ids = Array.from({ length: 60_000 }, (_, index) => `m${index}`);
  await using upstream = await startList(ids);
  await using gateway = await startTestGateway(upstream.url, {
    MAX_RESPONSE_BYTES: String(2 ** 26),
    REST_TIMEOUT_MS: '30000',
  });

  const page = await askPage(gateway, 'last: 1');

  expect(page.ids).toEqual(['m59999']);
  expect(upstream.queries().at(-1)).toBe('limit=100000');
});
