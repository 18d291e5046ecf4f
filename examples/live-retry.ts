/** A page has events that Node has not: they say when the device has a network again. */
const page = globalThis as Partial<Pick<EventTarget, 'addEventListener'>>;

/**
 * Waits before a live client connects again: 1 to 4 seconds at first, twice as long after each attempt that failed, and about
 * half a minute at the most; no longer than until the device has a network again. The libraries' own waits double without end.
 * Chance keeps clients from coming back in one moment.
 */
export const waitToRetry = (retries: number): Promise<void> =>
  new Promise((resolve) => {
    const ms = Math.min(2 ** retries, 30) * 1000 + Math.floor(Math.random() * 3000);
    setTimeout(resolve, ms);
    page.addEventListener?.('online', () => resolve(), {
      once: true,
      signal: AbortSignal.timeout(ms),
    });
  });
