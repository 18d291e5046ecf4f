import { vi } from 'vitest';

/** When every case begins: behind all of the sample data. Unit: milliseconds since 1970. */
export const START_MS = Date.UTC(2031, 0, 1);
/** How far the clock goes on with each write that is carried out: now and then two lie in one second. Unit: milliseconds. */
export const TICK_MS = 700;

/** Stops the clock of this process, that of the embedded service included, at the start; timers run on. */
export function stopClock(): Disposable {
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS });
  return { [Symbol.dispose]: () => void vi.useRealTimers() };
}

export const setClock = (ms: number): void => void vi.setSystemTime(ms);
