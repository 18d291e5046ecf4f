/** What `npm test` repeats every time. */
const FIXED_SEED = 1906;

/** How a property is held to random cases; fast-check's own names. */
interface Runs {
  readonly numRuns: number;
  readonly seed: number;
  /** Ends the search for a smaller counterexample in time to print the one there is. Unit: milliseconds. */
  readonly interruptAfterTimeLimit: number;
  readonly markInterruptAsFailure: true;
}

/**
 * How many random cases a property is held to, and from which seed. `FUZZ_RUNS` sets the number, as `npm run fuzz` does,
 * and takes a new seed every time; `FUZZ_SEED` repeats the one that a failure has printed. Properties with different
 * salts are held to different cases.
 */
export function runsOf(usual: number, salt = 0): Runs {
  const { FUZZ_RUNS, FUZZ_SEED } = process.env;
  const seed = salt + (FUZZ_RUNS === undefined ? FIXED_SEED : Date.now() % 2 ** 31);
  const numRuns = Number(FUZZ_RUNS ?? usual);
  return {
    numRuns,
    seed: Number(FUZZ_SEED ?? seed),
    interruptAfterTimeLimit: patienceFor(numRuns) * 0.9,
    markInterruptAsFailure: true,
  };
}

/** How long so many cases may take at most. Unit: milliseconds. */
export const patienceFor = (runs: number): number => 60_000 + runs * 500;
