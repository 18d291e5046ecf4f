import { describe, expect, test } from 'vitest';
import { leftAfter, leftAfterRoughly } from '../../src/execution/size.ts';

/** An object that counts how often its keys are listed. */
function watchKeys(keys: number) {
  const seen = { lists: 0 };
  const object = Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${n}`, 0]));
  const watched = new Proxy(object, {
    ownKeys(target) {
      seen.lists += 1;
      return Reflect.ownKeys(target);
    },
  });
  return { seen, watched };
}

/** The bytes of an object of this many keys: those of a value for itself, and for each name and each value. */
const sizeOf = (keys: number) => 24 * (1 + 2 * keys);

describe.each([
  ['read', leftAfter],
  ['not read', leftAfterRoughly],
])('the size of an object whose texts are %s', (_, count) => {
  // security: many-keys
  test('is counted once, even if it is long and stands in many places', () => {
    const { seen, watched } = watchKeys(5000);
    const first = 10_000_000 - count(watched, 10_000_000);

    expect(first).toBeGreaterThanOrEqual(sizeOf(5000));
    expect(count([watched, watched], 10_000_000)).toBe(10_000_000 - 24 - 2 * first);
    expect(count(watched, first)).toBe(0);
    expect(count(watched, first - 1)).toBeLessThan(0);
    expect(seen.lists).toBe(1);
  });

  test('is counted again if it did not fit, and there is more room than before', () => {
    const { seen, watched } = watchKeys(5000);

    expect(count(watched, 1000)).toBeLessThan(0);
    expect(count(watched, 999)).toBeLessThan(0);
    expect(seen.lists).toBe(1);
    expect(count(watched, 10_000_000)).toBeGreaterThan(0);
    expect(seen.lists).toBe(2);
  });
});
