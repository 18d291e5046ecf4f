import { expect, test } from 'vitest';
import { compare, toSnapshot } from '../../src/live/snapshot.ts';
import type { Window } from '../../src/live/window.ts';
import type { Message } from '../../src/messaging/message.ts';
import type { NewestEnd } from '../../src/paging/newest-end.ts';
import { timeOf, toMessage, toText, toWindow } from './support.ts';

/** `a b2 c` are the messages a, b and c, newest first; the digit is the version of the text. */
const read = (text: string): Message[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => toMessage(word.charAt(0), 1000 - word.charCodeAt(0), word));

function changes(old: Window<Message>, window: Window<Message>): string {
  const before = toSnapshot(old);
  const now = toSnapshot(window);
  const isWritten = () => false;
  return compare({ before, now, window, isWritten }).map(toText).join(' ');
}

const between = (before: string, now: string, size: number, end: NewestEnd): string => {
  const [old, fresh] = [before, now].map((text) =>
    end === 'head' ? read(text) : read(text).reverse(),
  );
  return changes(toWindow(old ?? [], size, end), toWindow(fresh ?? [], size, end));
};

test.each([
  ['nothing', 'b c d', 'b c d', ''],
  ['one that came', 'b c d', 'a b c d', '+a'],
  ['one that came between', 'b d', 'b c d', '+c'],
  ['one that came at its other end', 'b c', 'b c d', '+d'],
  ['one that changed', 'b c d', 'b c2 d', '~c'],
  ['one that went', 'b c d', 'b d', '-c'],
  ['the first of an empty list', '', 'b c', '+b +c'],
  ['the last of a list', 'b', '', '-b'],
  ['several, in the order of the list', 'b c d e', 'a b2 e', '+a ~b -c -d'],
  ['one that went from the head', 'a b c', 'b2 c', '-a ~b'],
])('a list that fits into the window: %s', (_, before, now, expected) => {
  expect(between(before, now, 9, 'head')).toBe(expected);
});

test.each([
  ['one that came pushes another out', 'b c d e', 'a b c d e', '+a'],
  ['one that came between', 'b d e f', 'b c d e f', '+c'],
  ['one that went makes room for an older one', 'a b c d e', 'a c d e', '-b'],
  ['the last one went, and an older one is there', 'a b c d', 'a b d', '-c'],
  ['all went', 'a b c d e f', 'd e f', '-a -b -c'],
  ['all went, and others came', 'b c d e f g', 'a e f g', '+a -b -c -d'],
  ['more came than the window holds', 'd e f g', 'a b c d e f g', '+a +b +c'],
  ['more came, and what went is behind them', 'd e f g', 'a b c e f g', '+a +b +c'],
  ['the list fits now', 'a b c d', 'a b', '-c'],
  ['the list fitted before', 'c d', 'a b c d', '+a +b'],
])('a list longer than its window of three: %s', (_, before, now, expected) => {
  expect(between(before, now, 3, 'head')).toBe(expected);
});

test('a list whose newest items are at its tail is compared from there, in its own order', () => {
  expect(between('b c d e', 'a b2 d e', 3, 'tail')).toBe('-c ~b +a');
  expect(between('b c d e', 'a b c d e', 3, 'tail')).toBe('+a');
  expect(between('a b c d e', 'b c d e', 3, 'tail')).toBe('-a');
});

test('an item that moved to the head has changed if a field has, and is no deletion of others', () => {
  const time = (id: string, at: number) => toMessage(id, at);
  const list = [time('a', 9), time('b', 8), time('c', 7), time('d', 6), time('e', 5)];
  const [a, b, c, d, e] = list as [Message, Message, Message, Message, Message];

  const moved = [{ ...c, message: 'active' }, a, b, d, e];
  expect(changes(toWindow(list, 9), toWindow(moved, 9))).toBe('~c');

  // The last one of the window moves to its head while another comes: nothing has gone.
  const pushed = [time('n', 10), { ...c, message: 'active' }, a, b, d, e];
  expect(changes(toWindow(list, 3), toWindow(pushed, 3))).toBe('+n ~c');

  // It has moved between others that came, with a time later than any before: nothing has gone.
  const among = [time('n', 20), time('c', 19), time('m', 18), a, b, d, e];
  expect(changes(toWindow(list, 3), toWindow(among, 3))).toBe('+n ~c +m');
});

test('an item whose id a service repeats counts once; one without an id is no item', () => {
  const broken = { id: null, value: toMessage('x', 1) };
  const window = toWindow([toMessage('a', 2), toMessage('a', 2)], 9);
  const items = [...window.items, broken];

  expect(changes(toWindow([], 9), { ...window, items })).toBe('+a');
});

test('a list of two hundred thousand items is compared', () => {
  const value = toMessage('a', 1);
  const ids = Array.from({ length: 200_000 }, (_, index) => `m${index}`);
  const snapshot = (hashes: readonly string[]) => ({
    items: new Map(hashes.map((id) => [id, { hash: 'hash', owner: null }])),
    isWhole: true,
    newestTime: 1,
  });
  const later = ids.slice(1);
  const items = later.map((id) => ({ id, value }));
  const window: Window<Message> = { items, isWhole: true, newestEnd: 'head', timeOf };
  const [before, now] = [snapshot(ids), snapshot(later)];

  const found = compare({ before, now, window, isWritten: () => false });

  expect(found.map(toText)).toEqual(['-m0']);
});
