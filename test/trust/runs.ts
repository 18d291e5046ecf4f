/** The seed of `npm test`. */
const FIXED_SEED = 1906;
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
 * The number and the seed of a property's random cases. `FUZZ_RUNS` sets the number and makes the seed a new one each
 * time. `FUZZ_SEED` repeats the seed that a failure printed. Properties with different salts get different cases.
 */
export function runParameters(defaultRuns: number, salt = 0): RunParameters {
  const { FUZZ_RUNS, FUZZ_SEED } = process.env;
  const seed = salt + (FUZZ_RUNS === undefined ? FIXED_SEED : NEW_SEED);
  const numRuns = Number(FUZZ_RUNS ?? defaultRuns);
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
