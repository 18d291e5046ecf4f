import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CallerId, toCallerName } from '../../src/callers/caller-id.ts';
import { SentOnce } from '../../src/callers/sent-once.ts';
import { accepted, stranger } from '../support/callers.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => vi.useRealTimers());

const ANN = accepted('ann');
const BOB = accepted('bob');
const MINUTE_MS = 60_000;

function createSends() {
  const sends = new SentOnce<{ id: string; text: string }>();
  return {
    sends,
    /** Sends something that takes so many bytes. */
    sent(caller: CallerId, key: string, bytes = 0): void {
      const send = sends.begin(caller, key, 'content');
      sends.arrived(send, caller, { id: `id of ${key}`, text: 'x'.repeat(bytes / 2) });
    },
    has: (caller: CallerId, key: string) => sends.find(caller, key) !== null,
  };
}

test('a key is kept for ten minutes, and longer while something is under way', () => {
  const { sends, sent, has } = createSends();
  sent(ANN, 'a');
  sends.begin(ANN, 'b', 'content').sent = new Promise(() => {});

  vi.advanceTimersByTime(10 * MINUTE_MS - 1);
  expect(has(ANN, 'a')).toBe(true);
  vi.advanceTimersByTime(1);

  expect([has(ANN, 'a'), has(ANN, 'b')]).toEqual([false, true]);
  expect(sends.keyOf(ANN, 'id of a')).toBeNull();
});

// security: many-messages
test.each([
  ['a caller that sends much', () => accepted('flood')],
  ['strangers', (index: number) => stranger(`made up ${index}`)],
  [
    'values of a header that one caller makes up',
    (index: number) => accepted(toCallerName('flood', { 'x-org': `${index % 3000}` })),
  ],
])('if %s take all room, their oldest keys go, and no other', (_, toCaller) => {
  const { sent, has } = createSends();
  sent(ANN, 'a', 10_000);
  for (let index = 0; index < 30_000; index += 1)
    sent(toCaller(index), `${index}`, index < 500 ? 10_000 : 0);
  sent(BOB, 'b', 10_000);

  expect([has(ANN, 'a'), has(BOB, 'b')]).toEqual([true, true]);
  expect(has(toCaller(0), '0')).toBe(false);
  expect(has(toCaller(29_999), '29999')).toBe(true);
  vi.advanceTimersByTime(10 * MINUTE_MS);
  expect(has(ANN, 'a')).toBe(false);
  sent(toCaller(0), 'new');
  expect(has(toCaller(0), 'new')).toBe(true);
});
