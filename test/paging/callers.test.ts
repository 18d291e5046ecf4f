import { describe, expect, test } from 'vitest';
import type { ListOptions } from '../support/list.ts';
import { createMemory } from '../support/memory.ts';
import { BY_UNKNOWN_ID, numbered, STYLES, type Style } from '../support/pager.ts';

const MANY = numbered(120);
const CAPS: readonly ListOptions[] = [
  {},
  { maxLimit: 10 },
  { maxLimit: 10, refuse: 400 },
  { maxLimit: 60, refuse: 422 },
];
/** When another caller walks through the list. */
const TIMES = ['before', 'between', 'beside'] as const;

interface Pair {
  /** How the service answers the other caller, and Bob. */
  readonly ann: ListOptions;
  readonly bob: ListOptions;
  readonly settings: Style['settings'];
}

/** Bob's walk, with the code of the error that ends it, and its calls. */
async function walkAsBob(
  { ann, bob, settings }: Pair,
  { size, backward, time }: { size: number; backward: boolean; time?: string },
) {
  const service = (caller: string) => (caller === 'ann' ? ann : bob);
  const memory = createMemory(MANY, { service, settings });
  const disturb = () => memory.walk({ size: 60, caller: 'ann' }).catch(() => null);
  if (time === 'before') await disturb();
  const beside = time === 'beside' ? disturb() : null;
  const seen: unknown[] = [];
  let cursor: string | null = null;
  for (let isEnd = false; !isEnd; ) {
    if (time === 'between') await disturb();
    const args: object = backward
      ? { last: size, before: cursor }
      : { first: size, after: cursor };
    const page = await memory.page(args, 'bob').catch((error) => String(error.name));
    if (typeof page === 'string') {
      seen.push('out of reach');
      break;
    }
    const { ids, hasNext, hasPrevious } = page;
    seen.push(ids, hasNext, hasPrevious);
    isEnd = backward ? !hasPrevious : !hasNext;
    cursor = backward ? page.start : page.end;
  }
  await beside;
  return { seen, calls: memory.service.queries('bob').length };
}

const WALKS = [10, 40].flatMap((size) =>
  [false, true].map((backward) => ({ size, backward })),
);

describe.each([...STYLES, ...BY_UNKNOWN_ID])('a service that pages by $name', (style) => {
  const PAIRS = CAPS.flatMap((annCap) =>
    CAPS.map((bobCap) => ({
      ann: { ...style.service, ...annCap },
      bob: { ...style.service, ...bobCap },
    })),
  );

  // security: learned-limit
  test('a maximum that the service has for one caller changes no page and adds no call for another one', async () => {
    const unknownId = style.service.unknown === 'first' ? 'first' : 'refused';
    const settings = { ...style.settings, PAGING_UNKNOWN_ID: unknownId };
    for (const pair of PAIRS) {
      for (const walk of WALKS) {
        const alone = await walkAsBob({ ...pair, settings }, walk);
        for (const time of TIMES)
          expect({
            pair,
            time,
            ...(await walkAsBob({ ...pair, settings }, { ...walk, time })),
          }).toEqual({ pair, time, ...alone });
      }
    }
  });

  test('what one caller has learned adds no call for another one', async () => {
    for (const pair of PAIRS) {
      for (const walk of WALKS) {
        const alone = await walkAsBob({ ...pair, settings: {} }, walk);
        for (const time of TIMES.slice(0, 2)) {
          const both = await walkAsBob({ ...pair, settings: {} }, { ...walk, time });
          const isKept = alone.seen.at(-1) !== 'out of reach';
          expect({ pair, time, seen: both.seen }).toEqual({
            pair,
            time,
            seen: isKept ? alone.seen : both.seen,
          });
          // By number, a page has the length that fits its positions, so each length may be refused once.
          const most = alone.calls + (style.name === 'page' ? 10 : 0);
          if (isKept && both.calls > most)
            expect({ pair, time, calls: both.calls }).toEqual({ most });
        }
      }
    }
  });

  test('another caller for whom the service pages otherwise costs no page', async () => {
    for (const other of [...STYLES, ...BY_UNKNOWN_ID]) {
      for (const cap of CAPS) {
        const ann = { ...other.service, strict: true };
        // A parameter that was learned with Ann's pages is refused to Bob; it is not taken for a refused `limit`.
        const bob = { ...style.service, ...cap, strict: true };
        const pair = { ann, bob, settings: {} };
        for (const walk of WALKS) {
          const { seen } = await walkAsBob(pair, walk);
          if (seen.at(-1) === 'out of reach') continue;
          for (const time of TIMES)
            expect({
              pair,
              time,
              seen: (await walkAsBob(pair, { ...walk, time })).seen,
            }).toEqual({ pair, time, seen });
        }
      }
    }
  });
});
