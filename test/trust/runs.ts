/** The seed of `npm test`. */
const FIXED_SEED = 1906;
/** How many times as many random cases as in `npm test`; then their seed is a new one each time. */
const { FUZZ_TIMES, FUZZ_SEED } = process.env;
export const TIMES = Number(FUZZ_TIMES ?? 1);
/** Read before any test stops the clock. */
const NEW_SEED = Date.now() % 2 ** 31;

/** Parameters of fast-check. */
interface RunParameters extends TimeLimits {
  readonly numRuns: number;
  readonly seed: number;
}

interface TimeLimits {
  readonly interruptAfterTimeLimit: number;
  readonly markInterruptAsFailure: true;
}

/**
 * The number and the seed of a property's random cases. `FUZZ_SEED` repeats the seed that a failure printed. Properties with
 * different salts get different cases.
 */
export function runParameters(runs: number, salt = 0): RunParameters {
  const seed = salt + (FUZZ_TIMES === undefined ? FIXED_SEED : NEW_SEED);
  const numRuns = runs * TIMES;
  return { numRuns, seed: Number(FUZZ_SEED ?? seed), ...limitsFor(numRuns) };
}

/** Ends the shrinking early enough to print the best counterexample. */
export const limitsFor = (runs: number): TimeLimits => ({
  interruptAfterTimeLimit: timeoutFor(runs) * 0.9,
  markInterruptAsFailure: true,
});

/** The timeout of a test with this many cases: many times what they take. Unit: milliseconds. */
export const timeoutFor = (runs: number): number => 120_000 + runs * 5000;

/** Settings under which no operation is refused for its cost. */
export const UNLIMITED = { MAX_CALLS_PER_LIST: '1000', MAX_REST_CALLS: '100000' };
