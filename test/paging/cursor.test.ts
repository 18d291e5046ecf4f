import { expect, test } from 'vitest';
import { byLimit } from '../../src/paging/by-limit.ts';
import { readConnection } from '../../src/paging/connection.ts';
import { type Cursor, decodeCursor, encodeCursor } from '../../src/paging/cursor.ts';
import { BadCursorError } from '../../src/paging/errors.ts';
import { createEndpointMemory } from '../../src/paging/known-endpoints.ts';
import { forge } from '../support/pager.ts';

const SCOPE = { strategy: 'limit', list: '/v1/messages?conversation_id=c1' };
const CURSOR: Cursor = {
  position: 3,
  id: 'd👍',
  before: ['c', null, 'a'],
  after: ['e'],
  head: 'a',
};
const ENCODED = encodeCursor(CURSOR, SCOPE);

test('a cursor needs no escaping in a URL, and is decoded to what was encoded', () => {
  expect(ENCODED).toMatch(/^[\w-]+$/);
  expect(decodeCursor(ENCODED, SCOPE)).toEqual(CURSOR);
});

test('a cursor may also remember what was left out, and at which end its page saw the newest items', () => {
  const decode = (more: Partial<Cursor>) =>
    decodeCursor(encodeCursor({ ...CURSOR, ...more }, SCOPE), SCOPE);

  for (const newest of ['head', 'tail', 'guessed'] as const)
    for (const more of [{ newest }, { newest, leftOut: ['x'] }, { leftOut: ['x'] }])
      expect(decode(more)).toEqual({ ...CURSOR, ...more });
  expect(encodeCursor({ ...CURSOR, leftOut: [] }, SCOPE)).toBe(ENCODED);
  expect(decode({ leftOut: ['x'.repeat(700)] })).toEqual(CURSOR);
  expect(decode({ leftOut: [...'abcdefghijklmnop'] }).leftOut).toHaveLength(12);
});

test.each([
  ['another list', { ...SCOPE, list: '/v1/messages?conversation_id=c2' }],
  ['another paging style', { ...SCOPE, strategy: 'starting_after' }],
])('a cursor of %s is refused', (_, scope) => {
  expect(() => decodeCursor(ENCODED, scope)).toThrow(BadCursorError);
});

// security: forged-cursor
test('a cursor with any one character changed is refused', () => {
  for (let index = 0; index < ENCODED.length; index += 1) {
    for (const character of ['A', 'b', '0', '-', '=', ' ']) {
      if (ENCODED[index] === character) continue;
      const altered = ENCODED.slice(0, index) + character + ENCODED.slice(index + 1);
      expect(() => decodeCursor(altered, SCOPE), altered).toThrow(BadCursorError);
    }
  }
});

const toBase64 = (text: string): string => Buffer.from(text).toString('base64url');
const TEXT = Buffer.from(ENCODED, 'base64url').toString();

// security: forged-cursor
test.each([
  ['', ''],
  ['not base64url', '%%%'],
  ['not JSON', toBase64('hello')],
  ['not a list', toBase64('{}')],
  ['an empty list', toBase64('[]')],
  ['no checksum', toBase64(TEXT.replace(/,\d+\]$/, ']'))],
  ['padding', `${ENCODED}==`],
  ['one part too many, with a valid checksum', forge(ENCODED, { 7: 'x' })],
  ['two ends, with a valid checksum', forge(ENCODED, { 7: 'head', 8: 'tail' })],
  [
    'its parts in another order, with a valid checksum',
    forge(ENCODED, { 7: 'head', 8: ['x'] }),
  ],
  ['a space, with a valid checksum', forge(ENCODED, {}, ' ')],
  ['deeply nested lists', toBase64('['.repeat(6140) + ']'.repeat(6140))],
  ['a very long text', 'A'.repeat(100_000)],
])('text that is not a cursor is refused: %s', (_, text) => {
  expect(() => decodeCursor(text, SCOPE)).toThrow(BadCursorError);
});

test.each([
  ['another version', { 0: 2 }],
  ['a negative position', { 2: -1 }],
  ['a position beyond all lists', { 2: 2 ** 53 }],
  ['an id that is not text', { 3: { $gt: '' } }],
  ['more neighbours than any cursor has', { 4: Array(99).fill('x') }],
  ['neighbours that are not a list', { 5: 'x' }],
])('a cursor with a valid checksum is refused for %s', (_, change) => {
  expect(() => decodeCursor(forge(ENCODED, change), SCOPE)).toThrow(BadCursorError);
});

test('long ids do not make very long cursors', () => {
  const long = 'x'.repeat(500);
  const cursor = {
    ...CURSOR,
    before: [long, long, long, long],
    after: [long, long, long, long],
  };

  const decoded = decodeCursor(encodeCursor(cursor, SCOPE), SCOPE);

  expect(decoded.before).toEqual([long]);
  expect(decoded.after).toEqual([long]);
});

test('a page at a text that is not a cursor is rejected without a call, and not thrown, so that it can be kept', async () => {
  const list = {
    key: '/v1/messages',
    caller: { key: 'ann' },
    times: [() => null] as const,
    read: () => Promise.reject(new Error('called')),
  };
  const page = {
    isForward: true,
    size: 1,
    cursor: 'rubbish',
    isNewestFirst: false,
    cost: { expected: 1, slack: 0 },
  } as const;

  const reading = readConnection(list, page, {
    strategy: byLimit,
    bounds: {
      maxCalls: 1,
      maxLimit: 10,
      maxPageSize: 10,
      endpoints: createEndpointMemory(),
    },
    listOrder: null,
    budget: { takeSlack: () => true },
  });

  await expect(reading).rejects.toThrow(BadCursorError);
});
