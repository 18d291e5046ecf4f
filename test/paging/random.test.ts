import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/embedded/sample/random.ts';
import { startTestGateway } from '../support/gateway.ts';
import { type ListOptions, startList } from '../support/list.ts';
import { askPage } from '../support/pager.ts';

const ROUNDS = 150;

const SERVICES: [paging: string, service: ListOptions][] = [
  ['limit', {}],
  ['starting_after', { after: 'starting_after', before: 'ending_before' }],
  [
    'starting_after',
    { after: 'starting_after', before: 'ending_before', unknown: 'empty' },
  ],
  ['starting_after', { after: 'starting_after' }],
  ['offset', { offset: 'offset' }],
  ['page', { page: 'page' }],
];

describe.each(SERVICES)('PAGING=%s in front of %j', (paging, service) => {
  test.each([[false], [true]])(
    'whatever comes and goes, no page loses or repeats (backward: %s)',
    async (backward) => {
      await using upstream = await startList([], service);
      await using gateway = await startTestGateway(upstream.url, { PAGING: paging });
      const fill = (ids: readonly string[]) =>
        upstream.ids.splice(0, upstream.ids.length, ...ids);

      for (let seed = 1; seed <= ROUNDS; seed += 1) {
        const { below: random } = createRandom(seed);
        const before = Array.from({ length: 1 + random(30) }, (_, index) => `i${index}`);
        fill(before);
        const page = await askPage(
          gateway,
          `${backward ? 'last' : 'first'}: ${1 + random(6)}`,
        );
        const own = (backward ? page.ids[0] : page.ids.at(-1)) ?? '';
        const after = shift(before, random);
        fill(after);

        const size = 1 + random(6);
        const next = await askPage(
          gateway,
          backward
            ? `last: ${size}, before: "${page.start}"`
            : `first: ${size}, after: "${page.end}"`,
        );

        if (next.code !== undefined) {
          // An error is honest where the item and all the neighbours it can remember are gone.
          expect({ seed, code: next.code }).toEqual({ seed, code: 'PAGE_OUT_OF_REACH' });
          const at = before.indexOf(own);
          const remembered = before.slice(Math.max(0, at - 4), at + 5);
          const alive = remembered.filter((id) => after.includes(id));
          expect({
            seed,
            alive,
            isTold: alive.length === 0 || !after.includes(own),
          }).toMatchObject({ isTold: true });
          continue;
        }
        const beyond = backward
          ? before.slice(0, before.indexOf(own)).reverse()
          : before.slice(before.indexOf(own) + 1);
        const due = beyond.filter((id) => after.includes(id));
        const seen = backward ? next.ids.toReversed() : next.ids;
        const known = seen.filter((id) => before.includes(id ?? ''));
        expect({ seed, known }).toEqual({ seed, known: due.slice(0, known.length) });
        const hasMore = backward ? next.hasPrevious : next.hasNext;
        if (!hasMore) expect({ seed, known }).toEqual({ seed, known: due });
        if (hasMore)
          expect({ seed, length: seen.length }).toEqual({ seed, length: size });
      }
    },
  );
});

/** Deletes up to five items and adds up to five, anywhere. */
function shift(ids: readonly string[], random: (below: number) => number): string[] {
  const shifted = [...ids];
  for (let count = random(6); count > 0; count -= 1)
    shifted.splice(random(shifted.length + 1), 1);
  for (let count = random(6); count > 0; count -= 1) {
    shifted.splice(random(shifted.length + 1), 0, `n${count}`);
  }
  return shifted;
}
