import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findDifference } from './pairs/run.ts';
import { sameForAll, sessionsOver, USUAL_PAIRS, worseForA } from './pairs/session.ts';
import { createTally } from './pairs/tally.ts';
import { limitsFor, timeoutFor } from './runs.ts';

/** Pairs of callers, over both kinds of services. `.ci/run` and `npm run trust` set it to thousands. */
const PAIRS = Number(process.env.PAIRS ?? 250);
const SEED = Number(process.env.TRUST_SEED ?? 1906);
const RUNS = Math.ceil(PAIRS / 2 / USUAL_PAIRS);

test.each([
  ['serves all callers alike', sameForAll],
  ['limits, delays, refuses or fails the calls of A alone', worseForA],
])(
  'nothing of A changes bytes, calls or writes of B, if the service %s',
  async (_, rig) => {
    const tally = createTally();

    await fc.assert(
      fc.asyncProperty(sessionsOver(rig), async (session) => {
        expect(await findDifference(session, tally)).toBeNull();
      }),
      { numRuns: RUNS, seed: SEED, ...limitsFor(RUNS * 10) },
    );

    expect(tally.tooRare()).toEqual([]);
  },
  timeoutFor(RUNS * 10),
);
