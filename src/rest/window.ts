/** How far back calls count. */
export const WINDOW_SECONDS = 10;
/** Fewer calls say too little to open a circuit. */
const MIN_CALLS = 20;
/** Fewer calls of the other callers say too little to open the circuit of all. */
const MIN_CALLS_OF_OTHERS = 5;

export interface Counts {
  calls: number;
  failures: number;
}

/** What happened in one second. */
interface Bucket extends Counts {
  readonly second: number;
}

/** The calls of the last ten seconds, by seconds. It holds no older ones once a call is counted. */
export type Window = Bucket[];

export const toSecond = (ms: number): number => Math.floor(ms / 1000);

export function count(window: Window, second: number, failed: boolean): void {
  let last = window.at(-1);
  if (last?.second !== second) {
    while (window[0] !== undefined && !isInside(window[0], second)) window.shift();
    last = { second, calls: 0, failures: 0 };
    window.push(last);
  }
  last.calls += 1;
  if (failed) last.failures += 1;
}

/** The sum of the last ten seconds. */
export function totalOf(window: Window, second: number): Counts {
  const total = { calls: 0, failures: 0 };
  for (const bucket of window) {
    if (!isInside(bucket, second)) continue;
    total.calls += bucket.calls;
    total.failures += bucket.failures;
  }
  return total;
}

/** Takes the calls of `part` out of the window that they were counted in too. */
export function takeOut(window: Window, part: Window): void {
  for (const { second, calls, failures } of part) {
    const bucket = window.find((candidate) => candidate.second === second);
    if (bucket === undefined) continue;
    bucket.calls -= calls;
    bucket.failures -= failures;
  }
}

/** Whether at least half of at least 20 calls failed. */
export const isFailing = (counts: Counts): boolean =>
  counts.calls >= MIN_CALLS && isHalf(counts);

/**
 * Whether failures concern all callers and not only one: without the calls of any one caller, there are still at least
 * five calls, and at least half of them failed. `all` counts the calls of each caller, and more.
 */
export const isSharedFailure = (all: Counts, each: readonly Counts[]): boolean =>
  each.every(({ calls, failures }) => {
    const others = { calls: all.calls - calls, failures: all.failures - failures };
    return others.calls >= MIN_CALLS_OF_OTHERS && isHalf(others);
  });

const isHalf = ({ calls, failures }: Counts): boolean => failures * 2 >= calls;

const isInside = (bucket: Bucket, second: number): boolean =>
  bucket.second > second - WINDOW_SECONDS;
