import { vi } from 'vitest';

/** The time when every case begins, later than all sample data. Unit: milliseconds since 1970. */
export const START_MS = Date.UTC(2031, 0, 1);
/** How far each successful write moves the clock, so that some writes share a second. Unit: milliseconds. */
export const TICK_MS = 700;

/** Stops this process's clock, which the embedded service shares, at the start. Timers still run. */
export function stopClock(): Disposable {
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS });
  return { [Symbol.dispose]: () => void vi.useRealTimers() };
}

export const setClock = (ms: number): void => void vi.setSystemTime(ms);
