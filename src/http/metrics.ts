import type { SlowClient } from './sendings.ts';

/** The metrics that /metrics shows, and the counters of answers and of slow clients. */
export interface MetricsPage {
  readonly contentType: string;
  text(): Promise<string>;
  /** `route` is the registered one, and not the client's text. */
  countResponse(route: string, status: number): void;
  countSlowClient(reason: SlowClient['reason']): void;
}
