import { describe, expect, test } from 'vitest';
import type { PageArguments } from '../../src/paging/cost.ts';
import { PageOutOfReachError } from '../../src/paging/errors.ts';
import type { ListOptions } from '../support/list.ts';
import { createMemory, pagesOf } from '../support/memory.ts';
import { BY_UNKNOWN_ID, numbered, STYLES, type Style } from '../support/pager.ts';

const MANY = numbered(90);
const CAPS: readonly ListOptions[] = [
  {},
  { maxLimit: 10 },
  { maxLimit: 10, refuse: 400 },
  { maxLimit: 60, refuse: 422 },
];
/** When another caller walks through the list: before the first page and the third, or beside the first ones. */
const TIMES = ['between', 'beside'] as const;

interface Pair {
  /** How the service answers the other caller, and Bob. */
  readonly ann: ListOptions;
  readonly bob: ListOptions;
  readonly settings: Style['settings'];
}

/** What Bob's walk shows, and its calls. */
async function walkAsBob(
  { ann, bob, settings }: Pair,
  { size, backward, time }: { size: number; backward: boolean; time?: string },
) {
  const service = (caller: string) => (caller === 'ann' ? ann : bob);
  const memory = createMemory(MANY, { service, settings });
  const disturb = () => memory.walk({ size: 60, caller: 'ann' }).catch(() => null);
  const beside = time === 'beside' ? disturb() : null;
  const seen: unknown[] = [];
  let turn = 0;
  const readPage = async (args: PageArguments) => {
    if (time === 'between' && (turn === 0 || turn === 2)) await disturb();
    turn += 1;
    return memory.page(args, 'bob');
  };
  try {
    for await (const page of pagesOf(readPage, { size, backward }))
      seen.push(page.ids, page.hasNext, page.hasPrevious);
  } catch (error) {
    if (!(error instanceof PageOutOfReachError)) throw error;
    seen.push('out of reach');
  }
  await beside;
  return { seen, calls: memory.service.queries('bob').length };
}

const isOutOfReach = ({ seen }: { seen: readonly unknown[] }) =>
  seen.at(-1) === 'out of reach';

const pairsOf = <A, B>(first: readonly A[], second: readonly B[]): [A, B][] =>
  first.flatMap((a) => second.map((b): [A, B] => [a, b]));

const WALKS = [10, 40].flatMap((size) =>
  [false, true].map((backward) => ({ size, backward })),
);

describe.each([...STYLES, ...BY_UNKNOWN_ID])('a service that pages by $name', (style) => {
  const SERVICES = CAPS.map((cap) => ({ ...style.service, ...cap }));
  const OTHERS = [...STYLES, ...BY_UNKNOWN_ID].map(({ service }) => ({
    ...service,
    strict: true,
  }));

  // security: learned-limit
  test('a maximum that the service has for one caller changes no page and adds no call for another one', async () => {
    const unknownId = style.service.unknown === 'first' ? 'first' : 'refused';
    const settings = { ...style.settings, PAGING_UNKNOWN_ID: unknownId };
    for (const [bob, walk] of pairsOf(SERVICES, WALKS)) {
      const alone = await walkAsBob({ ann: bob, bob, settings }, walk);
      for (const [ann, time] of pairsOf(SERVICES, TIMES)) {
        const both = await walkAsBob({ ann, bob, settings }, { ...walk, time });
        expect({ ann, bob, time, ...both }).toEqual({ ann, bob, time, ...alone });
      }
    }
  });

  test('what one caller has learned adds no call for another one', async () => {
    for (const [bob, walk] of pairsOf(SERVICES, WALKS)) {
      const alone = await walkAsBob({ ann: bob, bob, settings: {} }, walk);
      if (isOutOfReach(alone)) continue;
      // By number, a page has the length that fits its positions, so each length may be refused once.
      const most = alone.calls + (style.name === 'page' ? 10 : 0);
      for (const [ann, time] of pairsOf(SERVICES, ['between'])) {
        const both = await walkAsBob({ ann, bob, settings: {} }, { ...walk, time });
        const calls = Math.max(both.calls, most);
        expect({ ann, bob, time, seen: both.seen, calls }).toEqual({
          ann,
          bob,
          time,
          seen: alone.seen,
          calls: most,
        });
      }
    }
  });

  test('another caller for whom the service pages otherwise costs no page', async () => {
    // A parameter that was learned with Ann's pages is refused to Bob; it is not taken for a refused `limit`.
    const strict = SERVICES.map((service) => ({ ...service, strict: true }));
    for (const [turn, [bob, walk]] of pairsOf(strict, WALKS).entries()) {
      const alone = await walkAsBob({ ann: bob, bob, settings: {} }, walk);
      if (isOutOfReach(alone)) continue;
      for (const [at, ann] of OTHERS.entries()) {
        // Beside Bob's walk or between its pages: in turns, so that both meet each service, and each direction.
        const time = TIMES[(at + turn + (turn >> 2)) % 2] as string;
        const { seen } = await walkAsBob({ ann, bob, settings: {} }, { ...walk, time });
        expect({ ann, bob, time, seen }).toEqual({ ann, bob, time, seen: alone.seen });
      }
    }
  });
});
