/** A page has events that Node has not: they say when the device loses its network, and has one again. */
export const page = globalThis as Partial<Pick<EventTarget, 'addEventListener'>>;

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

/** What a client library calls with the results of a subscription. */
interface Sink<T> {
  next(result: T): void;
  error(error: unknown): void;
  complete(): void;
}

/**
 * Notes in `variables` how far a subscription has come. The libraries send them again when they connect again, and the first events are what
 * was missed. The subscription takes `$resumeFrom` and selects `resumeToken`; others stay as they are.
 */
export const resuming = <T extends { readonly data?: unknown }>(
  variables: Record<string, unknown>,
  sink: Sink<T>,
): Sink<T> => ({
  next(result) {
    const [change] = Object.values(result.data ?? {});
    if (change?.resumeToken) variables.resumeFrom = change.resumeToken;
    sink.next(result);
  },
  error: (error) => sink.error(error),
  complete: () => sink.complete(),
});
