import { afterEach, expect, test, vi } from 'vitest';
import { createLagMonitor } from '../../src/telemetry/lag.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('the event loop is lagging after it was blocked twice in a row, until it recovers', () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const monitor = createLagMonitor();
  /** Runs the timer so much later than it is due. Unit: milliseconds. */
  const isLaggingAfter = (lateMs: number) => {
    now += 500 + lateMs;
    vi.advanceTimersByTime(500);
    return monitor.isLagging();
  };

  const seen = [0, 1200, 1200, 900, 1200, 0].map(isLaggingAfter);
  monitor.stop();

  expect(seen).toEqual([false, false, true, false, false, false]);
});
