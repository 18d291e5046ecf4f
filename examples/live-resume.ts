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
