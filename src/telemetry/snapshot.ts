/** The metrics of one process, as data of prom-client. */
export type MetricsSnapshot = readonly { readonly type: unknown }[];

/** The metrics of several processes, added up. */
export interface Totals {
  /** Offers those of this process. */
  offer(snapshot: () => Promise<MetricsSnapshot>): void;
  /** All of them in Prometheus' text format. */
  text(): Promise<string>;
}
