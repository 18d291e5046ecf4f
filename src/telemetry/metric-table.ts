import type { Metric, Registry } from 'prom-client';

/** A metric. Every value of a label comes from a closed set: neither clients nor the service can add one. */
interface Row {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** How the values of several processes become one. Default: their sum. */
  readonly aggregator?: 'max';
}

/** Every metric of the gateway, beside those of the process. docs/operating.md explains them. */
export const METRICS = {
  gateway_operation_duration_seconds: {
    type: 'histogram',
    help: 'Duration of an operation, from its arrival to its answer.',
    labels: ['type'],
  },
  gateway_live_event_duration_seconds: {
    type: 'histogram',
    help: 'Duration of the execution of an event.',
    labels: [],
  },
  gateway_rest_call_duration_seconds: {
    type: 'histogram',
    help: 'Duration of one call to the service, from its wait for a connection to its last byte.',
    labels: ['method', 'route'],
  },
  gateway_operations_total: {
    type: 'counter',
    help: 'Operations answered, by the codes of their errors.',
    labels: ['type', 'codes'],
  },
  gateway_live_events_total: {
    type: 'counter',
    help: 'Events of subscriptions executed, by the codes of their errors.',
    labels: ['codes'],
  },
  gateway_rest_calls_total: {
    type: 'counter',
    help: 'Calls to the service, including retries, by outcome.',
    labels: ['method', 'route', 'outcome'],
  },
  gateway_rest_retries_total: {
    type: 'counter',
    help: 'Retries of calls to the service.',
    labels: ['method', 'route'],
  },
  gateway_http_responses_total: {
    type: 'counter',
    help: 'HTTP answers on all paths.',
    labels: ['route', 'status'],
  },
  gateway_slow_clients_total: {
    type: 'counter',
    help: 'Clients that were disconnected because they did not read their answer.',
    labels: ['reason'],
  },
  gateway_redis_connected: {
    type: 'gauge',
    help: 'Processes that are connected to Redis.',
    labels: [],
  },
  gateway_rest_pool: {
    type: 'gauge',
    help: 'Connections to the service: connected, and how many of these are free. Calls: running, pending (their connection is not open yet), queued (they wait for a connection).',
    labels: ['state'],
  },
  gateway_rest_calls_under_way: {
    type: 'gauge',
    help: 'Admitted calls that have not ended, including those that wait for a connection or a retry.',
    labels: [],
  },
  gateway_breaker_state: {
    type: 'gauge',
    help: 'State of the circuit breaker: 1 for the current state, 0 for the others; of several workers, how many are in each.',
    labels: ['state'],
  },
  gateway_drift_total: {
    type: 'counter',
    help: 'Fields that the interface does not name, and fields of the interface that were missing.',
    labels: ['object', 'kind'],
  },
  gateway_live_connections: {
    type: 'gauge',
    help: 'Open streams of subscriptions, and open WebSockets, by transport.',
    labels: ['transport'],
  },
  gateway_live_subscriptions: {
    type: 'gauge',
    help: 'Subscriptions that are open.',
    labels: [],
  },
  gateway_live_watches: {
    type: 'gauge',
    help: 'Lists that are watched, each with one token, whatever the number of subscribers.',
    labels: [],
  },
  gateway_live_oldest_look_seconds: {
    type: 'gauge',
    help: 'Age of the last good look of the watch whose last good look is the oldest; 0 without watches.',
    labels: [],
    aggregator: 'max',
  },
  gateway_live_looks_total: {
    type: 'counter',
    help: 'Looks at lists that are watched, by how they ended.',
    labels: ['outcome'],
  },
  gateway_live_changes_total: {
    type: 'counter',
    help: 'Changes found, by kind.',
    labels: ['kind'],
  },
  gateway_live_ends_total: {
    type: 'counter',
    help: 'Subscriptions that ended, by the reason.',
    labels: ['reason'],
  },
  gateway_learned_paging: {
    type: 'gauge',
    help: 'Paging styles that were learned from the answers of the service: 1 for the style of each list endpoint; limit: no other works.',
    labels: ['endpoint', 'style'],
    aggregator: 'max',
  },
  gateway_learned_max_limit: {
    type: 'gauge',
    help: 'The most items that are asked for at once, by list endpoint, once the service has refused or cut a limit.',
    labels: ['endpoint'],
    aggregator: 'max',
  },
  gateway_workers: { type: 'gauge', help: 'Workers that run.', labels: [] },
  gateway_worker_ends_total: {
    type: 'counter',
    help: 'Workers that ended, and were replaced.',
    labels: [],
  },
} as const satisfies Record<string, Row>;

export type MetricName = keyof typeof METRICS;

/** The present values of a metric: one number, or the values of its labels and a number for each combination of them. */
export type ReadMetric = () =>
  | number
  | Iterable<readonly [...labels: string[], value: number]>;

/** Metrics that are read when Prometheus asks, and not counted as things happen. */
export type Sources = Readonly<Partial<Record<MetricName, ReadMetric>>>;

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function registerSources(registry: Registry, sources: Sources): void {
  for (const [name, read] of Object.entries(sources))
    registerRead(registry, name as MetricName, read);
}

export function registerRead(
  registry: Registry,
  name: MetricName,
  read: ReadMetric,
): void {
  registerSamples(registry, name, () => {
    const values = read();
    if (typeof values === 'number') return [{ labels: {}, value: values }];
    return Array.from(values, (row) => ({
      labels: toLabels(name, row.slice(0, -1) as string[]),
      value: row.at(-1) as number,
    }));
  });
}

export const toLabels = (
  name: MetricName,
  values: readonly string[],
): Record<string, string> =>
  Object.fromEntries(METRICS[name].labels.map((label, i) => [label, values[i] ?? '']));

/** prom-client prints every registered object that has `get`. Its types accept only its own classes, which count differently. */
export function registerSamples(
  registry: Registry,
  name: MetricName,
  read: () => readonly Sample[],
): void {
  const { aggregator, ...described }: Row = METRICS[name];
  const get = async () => ({
    ...described,
    name,
    aggregator: aggregator ?? 'sum',
    values: read(),
  });
  registry.registerMetric({ name, get } as unknown as Metric);
}
