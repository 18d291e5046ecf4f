import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startList } from '../support/list.ts';
import { askPage } from '../support/pager.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

describe('page arguments are refused before any call', () => {
  test.each([
    ['first and last', 'first: 1, last: 1'],
    ['first with before', 'first: 1, before: "x"'],
    ['last with after', 'last: 1, after: "x"'],
    ['after with before', 'after: "x", before: "x"'],
    ['zero', 'first: 0'],
    ['zero from the end', 'last: 0'],
    ['a negative number', 'first: -1'],
    ['more than MAX_PAGE_SIZE', 'first: 101'],
    ['more than MAX_PAGE_SIZE from the end', 'last: 101'],
    ['a cursor that is none', 'after: "x"'],
    ['an empty cursor', 'before: ""'],
  ])('%s', async (_what, args) => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);

    const page = await askPage(gateway, args);

    expect(page.code).toBe('BAD_USER_INPUT');
    expect(upstream.calls).toEqual([]);
  });

  test('they cost their own field and no other', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);

    const { data, errors } = await gateway.ask(
      '{ bad: messages(first: 0) { nodes { id } } good: messages(first: 1) { nodes { id } } }',
    );

    expect(data).toEqual({ bad: null, good: { nodes: [{ id: 'a' }] } });
    expect(errors).toHaveLength(1);
  });

  test('null counts as left out', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);

    const page = await askPage(
      gateway,
      'first: 2, after: null, last: null, before: null',
    );

    expect(page.ids).toEqual(['a', 'b']);
  });
});

test('MAX_PAGE_SIZE itself is allowed, and bounds the default page too', async () => {
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

test('a cursor means the same in `messages(conversationId)` and in the conversation, and to every replica', async () => {
  await using upstream = await startList(LETTERS);
  await using one = await startTestGateway(upstream.url);
  await using two = await startTestGateway(upstream.url);
  const { end } = await askPage(one, 'first: 3');

  expect((await askPage(two, `first: 3, after: "${end}"`)).ids).toEqual(['d', 'e', 'f']);
});

test('a filter that is false or null asks for the same list as none', async () => {
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

/** Somebody who knows the format writes another place into a true cursor, with the right checksum. */
function forge(cursor: string, change: (parts: unknown[]) => void): string {
  const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()).slice(0, -1);
  change(parts);
  const forged = [...parts, crc32(JSON.stringify(parts))];
  return Buffer.from(JSON.stringify(forged)).toString('base64url');
}

test.each([
  [
    'a negative place',
    (parts: unknown[]) => {
      parts[2] = -1;
    },
  ],
  [
    'a place beyond all lists',
    (parts: unknown[]) => {
      parts[2] = 2 ** 53;
    },
  ],
  [
    'an id that is no text',
    (parts: unknown[]) => {
      parts[3] = { $gt: '' };
    },
  ],
  [
    'more neighbours than any cursor has',
    (parts: unknown[]) => {
      parts[4] = Array(99).fill('x');
    },
  ],
  [
    'neighbours that are no list',
    (parts: unknown[]) => {
      parts[5] = 'x';
    },
  ],
  [
    'another version',
    (parts: unknown[]) => {
      parts[0] = 2;
    },
  ],
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
  'a forged cursor costs no more calls than a true one may: %s',
  async (paging, service) => {
    const ids = Array.from({ length: 5000 }, (_, i) => `m${i}`);
    await using upstream = await startList(ids, service);
    await using gateway = await startTestGateway(upstream.url, { PAGING: paging });
    const { end } = await askPage(gateway, 'first: 3');
    const forged = forge(end, (parts) => {
      parts[3] = 'no such id';
      parts[4] = ['a', 'b', 'c', 'd'];
    });

    const page = await askPage(gateway, `after: "${forged}"`);

    expect(page.code).toBe('PAGE_OUT_OF_REACH');
    expect(upstream.calls.length).toBeLessThanOrEqual(1 + 20);
  },
);
