/** Whether the event loop is so late that work is taken on faster than it is done. */
export interface LagMonitor {
  isLagging(): boolean;
  stop(): void;
}

const PERIOD_MS = 500;
/** A timer that comes later than this says that the loop was blocked so long. Unit: milliseconds. */
const MAX_LAG_MS = 1000;
/** Once may be a long pause of the machine; so often in a row it is load. */
const MIN_LATE_TIMERS = 2;

/** Watches a timer: cheap, and late exactly when everything else is. */
export function createLagMonitor(): LagMonitor {
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
