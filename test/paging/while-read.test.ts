import { describe, expect, test } from 'vitest';
import { createRandom, type Random } from '../../src/embedded/sample/random.ts';
import { PageOutOfReachError } from '../../src/paging/errors.ts';
import { createMemory } from '../support/memory.ts';
import { BY_UNKNOWN_ID, numbered, STYLES } from '../support/pager.ts';

/** What happens to a list after every call. */
const CHANGES = {
  'items come at the head': (ids: string[], fresh: string) => ids.unshift(fresh),
  'items come at the end': (ids: string[], fresh: string) => ids.push(fresh),
  'items come anywhere': (ids: string[], fresh: string, random: Random) =>
    ids.splice(random.below(ids.length + 1), 0, fresh),
  'items come and go': (ids: string[], fresh: string, random: Random) => {
    ids.splice(random.below(ids.length + 1), 0, fresh);
    const at = random.below(ids.length);
    if (random.chance(0.3)) ids.splice(at, 1);
  },
};
const CASES = [...STYLES, ...BY_UNKNOWN_ID.slice(0, 2)].flatMap((style) =>
  Object.entries(CHANGES).map(([what, change]) => ({ ...style, what, change })),
);

function nullIfChanged(error: unknown): null {
  if (error instanceof PageOutOfReachError) return null;
  throw error;
}

/** Only the first of these calls change the list, so that a walk comes to an end. */
const MOST_CHANGES = 300;

describe.each(CASES)('with PAGING=$name, while $what', ({ what, change, ...style }) => {
  test('a walk through a list in random order loses and repeats nothing', async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = createRandom(seed);
      const size = random.pick([1, 2, 3, 5, 7, 10, 20, 50, 99, 100]);
      const list = random.shuffle(numbered(size < 3 ? 30 : 20 + random.below(130)));
      const isCapped = style.name !== 'limit' && random.chance(0.5);
      let calls = 0;
      const afterEach = (ids: string[]) => {
        calls += 1;
        if (calls <= MOST_CHANGES) change(ids, `n${calls}`, random);
      };
      const service = { ...style.service, afterEach, ...(isCapped && { maxLimit: 25 }) };
      const memory = createMemory(list, { ...style, service });

      const backward = random.chance(0.5);
      const seen = await memory.walk({ size, backward }).catch(nullIfChanged);
      // If all that a cursor remembers is deleted, there is an error instead of a gap.
      if (what === 'items come and go' && seen === null) continue;
      if (seen === null) throw new Error(`seed ${seed}: out of reach`);

      const left = list.filter((id) => memory.ids.includes(id));
      const old = seen.filter((id) => left.includes(id ?? ''));
      expect({ seed, seen: old }).toEqual({ seed, seen: left });
      expect({ seed, doubled: seen.length - new Set(seen).size }).toEqual({
        seed,
        doubled: 0,
      });
    }
  });
});

test('an item that moves down while a page is read leaves no gap, or ends it with an error', async () => {
  for (const style of STYLES.slice(2)) {
    for (let to = 10; to < 25; to += 1) {
      const afterFirst = (ids: string[]) => ids.splice(to, 0, ...ids.splice(9, 1));
      const service = { ...style.service, maxLimit: 10, afterFirst };
      const memory = createMemory(numbered(30), { ...style, service });

      const page = await memory.page({ first: 30 }).catch(nullIfChanged);

      if (page !== null) expect([...page.ids].sort()).toEqual(numbered(30));
      if (to < 15) expect(page).not.toBe(null);
    }
  }
});
