/** What `npm test` repeats every time. */
const FIXED_SEED = 1906;

/**
 * How many random cases a property is held to, and from which seed. `FUZZ_RUNS` sets the number, as `npm run fuzz` does,
 * and takes a new seed every time; `FUZZ_SEED` repeats the one that a failure has printed.
 */
export function runsOf(usual: number): { numRuns: number; seed: number } {
  const { FUZZ_RUNS, FUZZ_SEED } = process.env;
  const seed = FUZZ_RUNS === undefined ? FIXED_SEED : Date.now() % 2 ** 31;
  return { numRuns: Number(FUZZ_RUNS ?? usual), seed: Number(FUZZ_SEED ?? seed) };
}

/** How long so many cases may take at most. Unit: milliseconds. */
export const patienceFor = (runs: number): number => 60_000 + runs * 500;
