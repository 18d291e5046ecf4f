import fc from 'fast-check';
import { expect } from 'vitest';
import { limitsFor, timeoutFor } from '../runs.ts';
import type { Rig } from './rig.ts';
import { findDifference } from './run.ts';
import { sessionsOver, USUAL_PAIRS } from './session.ts';
import { createTally } from './tally.ts';

/** Pairs of callers, over both kinds of services. `.ci/run` and `npm run trust` set it to thousands. */
const PAIRS = Number(process.env.PAIRS ?? 250);
const SEED = Number(process.env.TRUST_SEED ?? 1906);
const RUNS = Math.ceil(PAIRS / 2 / USUAL_PAIRS);

/** How long a test may take that compares pairs. Unit: milliseconds. */
export const PAIRS_TIMEOUT_MS = timeoutFor(RUNS * 10);

/** Expects that nothing of A changes bytes, calls or writes of B, in half of the pairs. */
export async function comparePairs(rigs: fc.Arbitrary<Rig>): Promise<void> {
  const tally = createTally();

  await fc.assert(
    fc.asyncProperty(sessionsOver(rigs), async (session) => {
      expect(await findDifference(session, tally)).toBeNull();
    }),
    { numRuns: RUNS, seed: SEED, ...limitsFor(RUNS * 10) },
  );

  expect(tally.tooRare()).toEqual([]);
}
