const PERIOD_MS = 500;
/** If a timer is later than this, the loop was blocked. Unit: milliseconds. */
const MAX_LAG_MS = 1000;
/** One late timer may be a pause of the machine; this many in a row mean overload. */
const MIN_LATE_TIMERS = 2;

/**
 * Says whether the event loop lags, because work arrives faster than it is done. It asks a timer, which is cheap, and is late
 * whenever other work is late.
 */
export function createLagMonitor() {
  let due = performance.now() + PERIOD_MS;
  let late = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    late = now - due > MAX_LAG_MS ? late + 1 : 0;
    due = now + PERIOD_MS;
  }, PERIOD_MS).unref();
  return {
    isLagging: () => late >= MIN_LATE_TIMERS,
    stop: () => clearInterval(timer),
  };
}
