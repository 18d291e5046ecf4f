import type { Metric, Registry } from 'prom-client';

/** A metric. Every value of a label comes from a closed set: neither clients nor the service can add one. */
interface Row {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** How the values of several processes become one. */
  readonly aggregator: 'sum' | 'max';
}

const toRow =
  (type: Row['type'], aggregator: Row['aggregator'] = 'sum') =>
  (help: string, ...labels: readonly string[]): Row => ({
    type,
    help,
    labels,
    aggregator,
  });
const counter = toRow('counter');
const histogram = toRow('histogram');
const gauge = toRow('gauge');
const greatest = toRow('gauge', 'max');

/** Every metric of the gateway, beside those of the process. docs/operating.md explains them. */
export const METRICS = {
  gateway_operation_duration_seconds: histogram(
    'Duration of an operation, from its arrival to its answer.',
    'type',
  ),
  gateway_live_event_duration_seconds: histogram(
    'Duration of the execution of an event.',
  ),
  gateway_rest_call_duration_seconds: histogram(
    'Duration of one call to the service, from its wait for a connection to its last byte.',
    'method',
    'route',
  ),
  gateway_operations_total: counter(
    'Operations answered, by the codes of their errors.',
    'type',
    'codes',
  ),
  gateway_untrusted_operations_total: counter(
    'Operations that ran although the manifest of trusted documents does not list them.',
  ),
  gateway_live_events_total: counter(
    'Events of subscriptions executed, by the codes of their errors.',
    'codes',
  ),
  gateway_fields_total: counter(
    'Operations and events executed, by each field that they select, and by whether that field failed.',
    'coordinate',
    'outcome',
  ),
  gateway_rest_calls_total: counter(
    'Calls to the service, including retries, by outcome.',
    'method',
    'route',
    'outcome',
  ),
  gateway_rest_retries_total: counter(
    'Retries of calls to the service.',
    'method',
    'route',
  ),
  gateway_http_responses_total: counter('HTTP answers on all paths.', 'route', 'status'),
  gateway_slow_clients_total: counter(
    'Clients that were disconnected because they did not read their answer.',
    'reason',
  ),
  gateway_redis_connected: gauge('Processes that are connected to Redis.'),
  gateway_rest_pool: gauge(
    'Connections to the service: connected, and how many of these are free. Calls: running, pending (their connection is not open yet), queued (they wait for a connection).',
    'state',
  ),
  gateway_rest_calls_under_way: gauge(
    'Admitted calls that have not ended, including those that wait for a connection or a retry.',
  ),
  gateway_breaker_state: gauge(
    'State of the circuit breaker: 1 for the current state, 0 for the others; of several workers, how many are in each.',
    'state',
  ),
  gateway_drift_total: counter(
    'Fields that the interface does not name, and fields of the interface that were missing.',
    'object',
    'kind',
  ),
  gateway_live_connections: gauge(
    'Open streams of subscriptions, and open WebSockets, by transport.',
    'transport',
  ),
  gateway_live_subscriptions: gauge('Subscriptions that are open.'),
  gateway_live_watches: gauge(
    'Lists that are watched, each with one token, whatever the number of subscribers.',
  ),
  gateway_live_oldest_look_seconds: greatest(
    'Age of the last successful poll of the watch that has waited longest; 0 without watches.',
  ),
  gateway_live_looks_total: counter(
    'Polls of lists that are watched, by how they ended.',
    'outcome',
  ),
  gateway_live_changes_total: counter('Changes found, by kind.', 'kind'),
  gateway_live_ends_total: counter('Subscriptions that ended, by the reason.', 'reason'),
  gateway_learned_paging: greatest(
    'Paging styles that were learned from the answers of the service: 1 for the style of each list endpoint; limit: no other works.',
    'endpoint',
    'style',
  ),
  gateway_learned_max_limit: greatest(
    'The most items that are asked for at once, by list endpoint, once the service has refused or cut a limit.',
    'endpoint',
  ),
  gateway_build_info: greatest('1 for the version that runs.', 'version', 'node'),
  gateway_workers: gauge('Workers that run.'),
  gateway_worker_ends_total: counter('Workers that ended, and were replaced.'),
} satisfies Record<string, Row>;

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
  const get = async () => ({ ...METRICS[name], name, values: read() });
  registry.registerMetric({ name, get } as unknown as Metric);
}
