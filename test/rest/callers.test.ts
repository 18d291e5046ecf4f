import { expect, test } from 'vitest';
import { Callers } from '../../src/rest/callers.ts';

const HOUR_MS = 3_600_000;

/** Callers, on a clock that the test sets. */
function create() {
  let now = 0;
  // The cache takes an entry of the time 0 for one that never ends.
  const callers = new Callers({ perf: { now: () => now + 1 }, ttlResolution: 0 });
  const note = (token: string, status: number) =>
    callers.noteEnd(
      callers.identify(token),
      { verdict: status < 500 ? 'well' : 'failing', status },
      now,
    );
  return {
    accept: (token: string) => note(token, 200),
    fail: (token: string) => note(token, 503),
    isKnown: (token: string) => callers.peek(callers.identify(token)) !== undefined,
    wait(ms: number) {
      now += ms;
    },
  };
}

test('what is kept of callers is bounded, and those seen least recently go first', () => {
  const { accept, isKnown } = create();
  accept('first');
  for (let index = 0; index < 25_000; index += 1) {
    accept(`token ${index}`);
    if (index % 10_000 === 0) accept('ann');
  }

  expect(isKnown('first')).toBe(false);
  expect(isKnown('token 4000')).toBe(false);
  expect(isKnown('ann')).toBe(true);
  expect(isKnown('token 24999')).toBe(true);
});

test('tokens for which the service fails push out none that it has accepted', () => {
  const { accept, fail, isKnown } = create();
  accept('ann');
  for (let index = 0; index < 25_000; index += 1) fail(`token ${index}`);

  expect(isKnown('ann')).toBe(true);
  expect(isKnown('token 4000')).toBe(false);
});

test('callers are forgotten some time after their last call', () => {
  const { accept, fail, isKnown, wait } = create();
  accept('ann');
  fail('bob');
  wait(20_001);
  expect([isKnown('ann'), isKnown('bob')]).toEqual([true, false]);

  accept('ann');
  wait(HOUR_MS);
  expect(isKnown('ann')).toBe(true);
  wait(2);
  expect(isKnown('ann')).toBe(false);
});
