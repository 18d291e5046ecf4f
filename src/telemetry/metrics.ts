import type { Call } from '../rest/errors.ts';
import { type CollectedMetric, registerCollected } from './collected.ts';
import { type CallOutcome, type OperationResult, outcomeClass } from './outcome.ts';
import { loadProcessMetrics } from './process-metrics.ts';

/** The metrics for Prometheus. Every label comes from a closed set: neither clients nor the service can add one. */
export interface Metrics {
  countOperation(
    operation: Pick<OperationResult, 'type' | 'codes'> & {
      readonly clientLeft: boolean;
      readonly ms: number;
    },
  ): void;
  /** Counts one attempt of a call; `attempt` above 0 is a retry. */
  countCall(call: {
    readonly call: Call;
    readonly attempt: number;
    readonly outcome: CallOutcome;
    readonly ms: number;
  }): void;
  /** Counts an HTTP answer on any path; `route` is the registered route, and not the client's text. */
  countResponse(route: string, status: number): void;
  /** Counts a client that was disconnected because it did not read its answer. */
  countSlowClient(reason: 'time' | 'room'): void;
  readonly contentType: string;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
}

/** From an immediate answer to the default timeout of an operation. Unit: seconds. */
const BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];
/** Larger sets of codes share one label, because there are too many of them. */
const MAX_CODES_IN_A_LABEL = 2;

/** Creates the metrics. The library is loaded only here, so a gateway without metrics does not pay for it. */
export async function createMetrics(
  collected: readonly CollectedMetric[],
): Promise<Metrics> {
  const { Registry, Counter, Histogram } = await import('prom-client');
  const processMetrics = await loadProcessMetrics();
  const registry = new Registry();
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: T[]) =>
    new Counter({ name, help, labelNames, registers });
  const seconds = <T extends string>(name: string, help: string, labelNames: T[]) =>
    new Histogram({ name, help, labelNames, registers, buckets: BUCKETS });

  const operations = counter(
    'gateway_operations_total',
    'Operations answered, by the codes of their errors.',
    ['type', 'codes'],
  );
  const operationSeconds = seconds(
    'gateway_operation_duration_seconds',
    'Duration of an operation, from its arrival to its answer.',
    ['type'],
  );
  const calls = counter(
    'gateway_rest_calls_total',
    'Calls to the service, including retries, by outcome.',
    ['method', 'route', 'outcome'],
  );
  const callSeconds = seconds(
    'gateway_rest_call_duration_seconds',
    'Duration of one call to the service, from its wait for a connection to its last byte.',
    ['method', 'route'],
  );
  const retries = counter(
    'gateway_rest_retries_total',
    'Retries of calls to the service.',
    ['method', 'route'],
  );
  const responses = counter(
    'gateway_http_responses_total',
    'HTTP answers on all paths.',
    ['route', 'status'],
  );
  const slowClients = counter(
    'gateway_slow_clients_total',
    'Clients that were disconnected because they did not read their answer.',
    ['reason'],
  );
  for (const metric of collected) await registerCollected(registry, metric);

  return {
    countOperation({ type, codes, clientLeft, ms }) {
      const kind = type ?? 'unknown';
      operations.inc({ type: kind, codes: clientLeft ? 'left' : toLabel(codes) });
      operationSeconds.observe({ type: kind }, ms / 1000);
    },
    countCall({ call: { method, route }, attempt, outcome, ms }) {
      calls.inc({ method, route, outcome: outcomeClass(outcome) });
      callSeconds.observe({ method, route }, ms / 1000);
      if (attempt > 0) retries.inc({ method, route });
    },
    countResponse(route, status) {
      responses.inc({ route, status });
    },
    countSlowClient(reason) {
      slowClients.inc({ reason });
    },
    contentType: registry.contentType,
    text: async () => (await registry.metrics()) + (await processMetrics.metrics()),
  };
}

function toLabel(codes: readonly string[]): string {
  if (codes.length === 0) return 'none';
  return codes.length <= MAX_CODES_IN_A_LABEL ? codes.join(',') : 'several';
}
