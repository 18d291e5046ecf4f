import type { ObserverOptions } from './observer.ts';

/** What the events of one subscription came to. */
export interface EventTally {
  events: number;
  restCalls: number;
}

/**
 * Observes the events of one subscription: each is counted, timed and traced as an operation, but only the end of the
 * subscription has a line in the log.
 */
export const observeEvents = (
  { metrics, tracing }: ObserverOptions,
  tally: EventTally,
): ObserverOptions => ({
  metrics: metrics && { ...metrics, countOperation: metrics.countEvent },
  tracing,
  logOperation({ restCalls }) {
    tally.events += 1;
    tally.restCalls += restCalls;
  },
});
