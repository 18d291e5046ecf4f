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
  /** The second before it in which there were calls. */
  earlier: Bucket | null;
}

/**
 * The calls of the last ten seconds, by seconds. It holds no older ones once a call is counted. Not an array: there is a
 * window for each caller, most have one second, and the first item of an array takes the memory of seventeen.
 */
export interface RecentCalls {
  newest: Bucket | null;
}

export const toSecond = (ms: number): number => Math.floor(ms / 1000);

export const count = (window: RecentCalls, second: number, failed: boolean): void =>
  addCalls(window, second, failed ? FAILED : WELL);

const WELL: Readonly<Counts> = { calls: 1, failures: 0 };
const FAILED: Readonly<Counts> = { calls: 1, failures: 1 };

/** Adds calls of one second. No calls of a later second may be in the window. */
function addCalls(
  window: RecentCalls,
  second: number,
  { calls, failures }: Readonly<Counts>,
): void {
  let bucket = window.newest;
  if (bucket?.second !== second) {
    bucket = { second, calls: 0, failures: 0, earlier: withoutOld(bucket, second) };
    window.newest = bucket;
  }
  bucket.calls += calls;
  bucket.failures += failures;
}

function withoutOld(bucket: Bucket | null, second: number): Bucket | null {
  if (bucket === null || !isInside(bucket, second)) return null;
  bucket.earlier = withoutOld(bucket.earlier, second);
  return bucket;
}

/** The sum of the last ten seconds. */
export function totalOf(window: RecentCalls, second: number): Counts {
  const total = { calls: 0, failures: 0 };
  for (let bucket = window.newest; bucket !== null; bucket = bucket.earlier) {
    if (!isInside(bucket, second)) break;
    total.calls += bucket.calls;
    total.failures += bucket.failures;
  }
  return total;
}

/** Takes the calls of `part` out of the window that they were counted in too. */
export function takeOut(window: RecentCalls, part: RecentCalls): void {
  for (let own = part.newest; own !== null; own = own.earlier) {
    const { second, calls, failures } = own;
    let bucket = window.newest;
    while (bucket !== null && bucket.second !== second) bucket = bucket.earlier;
    if (bucket === null) continue;
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
