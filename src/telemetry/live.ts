import type { CollectedMetric } from './collected.ts';

/** What the watches of subscriptions say about themselves. The values of labels come from closed sets. */
export interface LiveCounted {
  subscriptions(): number;
  watches(): number;
  oldestLookSeconds(): number;
  readonly looks: ReadonlyMap<string, number>;
  readonly changes: ReadonlyMap<string, number>;
  readonly ends: ReadonlyMap<string, number>;
}

/** The metrics of subscriptions, their looks at lists and the changes that these found. */
export const liveMetrics = (counted: LiveCounted): readonly CollectedMetric[] => [
  gauge('gateway_live_subscriptions', 'Subscriptions that are open.', () =>
    counted.subscriptions(),
  ),
  gauge(
    'gateway_live_watches',
    'Lists that are watched, each with one token, whatever the number of subscribers.',
    () => counted.watches(),
  ),
  {
    ...gauge(
      'gateway_live_oldest_look_seconds',
      'Age of the last good look of the watch whose last good look is the oldest; 0 without watches.',
      () => counted.oldestLookSeconds(),
    ),
    aggregator: 'max',
  },
  counter(
    'gateway_live_looks_total',
    'Looks at lists that are watched, by how they ended.',
    { label: 'outcome', counts: counted.looks },
  ),
  counter('gateway_live_changes_total', 'Changes found, by kind.', {
    label: 'kind',
    counts: counted.changes,
  }),
  counter('gateway_live_ends_total', 'Subscriptions that ended, by the reason.', {
    label: 'reason',
    counts: counted.ends,
  }),
];

/** The connections that carry subscriptions, and WebSockets that carry none. */
export const connectionsGauge = (
  counts: ReadonlyMap<string, number>,
): CollectedMetric => ({
  type: 'gauge',
  name: 'gateway_live_connections',
  help: 'Open streams of subscriptions, and open WebSockets, by transport.',
  labelNames: ['transport'],
  read: () => byLabel('transport', counts),
});

/** A value for each key of a closed set. */
const byLabel = (label: string, counts: ReadonlyMap<string, number>) =>
  Array.from(counts, ([key, value]) => ({ labels: { [label]: key }, value }));

const gauge = (name: string, help: string, value: () => number): CollectedMetric => ({
  type: 'gauge',
  name,
  help,
  labelNames: [],
  read: () => [{ labels: {}, value: value() }],
});

const counter = (
  name: string,
  help: string,
  { label, counts }: { label: string; counts: ReadonlyMap<string, number> },
): CollectedMetric => ({
  type: 'counter',
  name,
  help,
  labelNames: [label],
  read: () => byLabel(label, counts),
});
