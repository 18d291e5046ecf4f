import type { Registry } from 'prom-client';
import type { Call, CallOutcome } from '../rest/errors.ts';
import { type CollectedMetric, registerCollected } from './collected.ts';
import { createCounter, registerHistogram } from './counts.ts';
import { type OperationResult, outcomeClass } from './outcome.ts';
import type { Totals } from './totals.ts';

/** How an operation ended. Unit of `ms`: milliseconds. */
interface CountedOperation extends Pick<OperationResult, 'type' | 'codes'> {
  readonly clientLeft: boolean;
  readonly ms: number;
}

/** The metrics for Prometheus. Every label comes from a closed set: neither clients nor the service can add one. */
export interface Metrics {
  countOperation(operation: CountedOperation): void;
  /** Counts the event of a subscription as an operation is counted. */
  readonly countEvent: (operation: CountedOperation) => void;
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
  /** The same without the metrics of the process. */
  ownText(): Promise<string>;
}

/** From an immediate answer to the default timeout of an operation. Unit: seconds. */
const BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];
/** Larger sets of codes share one label, because there are too many of them. */
const MAX_CODES_IN_A_LABEL = 2;

/**
 * Creates the metrics. The library is loaded only here, so a gateway without metrics does not pay for it. `totals` adds up
 * the metrics of several processes; null: this is the only one.
 */
export async function createMetrics(
  collected: readonly CollectedMetric[],
  totals: Totals | null,
): Promise<Metrics> {
  const { Registry } = await import('prom-client');
  const ofProcess = await loadProcessMetrics();
  const registry = new Registry();
  const counters: CollectedMetric[] = [];
  const counter = (name: string, help: string, labelNames: string[]) => {
    const { metric, increment } = createCounter({ name, help, labelNames });
    counters.push(metric);
    return increment;
  };
  const seconds = (name: string, help: string, labelNames: string[]) =>
    registerHistogram(registry, { name, help, labelNames, bounds: BUCKETS }).observe;

  const countOperation = counter(
    'gateway_operations_total',
    'Operations answered, by the codes of their errors.',
    ['type', 'codes'],
  );
  const timeOperation = seconds(
    'gateway_operation_duration_seconds',
    'Duration of an operation, from its arrival to its answer.',
    ['type'],
  );
  const countEvent = counter(
    'gateway_live_events_total',
    'Events of subscriptions executed, by the codes of their errors.',
    ['codes'],
  );
  const timeEvent = seconds(
    'gateway_live_event_duration_seconds',
    'Duration of the execution of an event.',
    [],
  );
  const countCall = counter(
    'gateway_rest_calls_total',
    'Calls to the service, including retries, by outcome.',
    ['method', 'route', 'outcome'],
  );
  const timeCall = seconds(
    'gateway_rest_call_duration_seconds',
    'Duration of one call to the service, from its wait for a connection to its last byte.',
    ['method', 'route'],
  );
  const countRetry = counter(
    'gateway_rest_retries_total',
    'Retries of calls to the service.',
    ['method', 'route'],
  );
  const countResponse = counter(
    'gateway_http_responses_total',
    'HTTP answers on all paths.',
    ['route', 'status'],
  );
  const countSlowClient = counter(
    'gateway_slow_clients_total',
    'Clients that were disconnected because they did not read their answer.',
    ['reason'],
  );
  for (const metric of [...counters, ...collected])
    await registerCollected(registry, metric);
  totals?.offer(async () => [
    ...(await registry.getMetricsAsJSON()),
    ...(await ofProcess.getMetricsAsJSON()),
  ]);

  return {
    countOperation({ type, codes, clientLeft, ms }) {
      const kind = type ?? 'unknown';
      countOperation(kind, clientLeft ? 'left' : toLabel(codes));
      timeOperation(ms / 1000, kind);
    },
    countEvent({ codes, ms }) {
      countEvent(toLabel(codes));
      timeEvent(ms / 1000);
    },
    countCall({ call: { method, route }, attempt, outcome, ms }) {
      countCall(method, route, outcomeClass(outcome));
      timeCall(ms / 1000, method, route);
      if (attempt > 0) countRetry(method, route);
    },
    countResponse(route, status) {
      countResponse(route, String(status));
    },
    countSlowClient(reason) {
      countSlowClient(reason);
    },
    contentType: registry.contentType,
    ownText: () => registry.metrics(),
    text:
      totals?.text ??
      (async () => (await registry.metrics()) + (await ofProcess.metrics())),
  };
}

function toLabel(codes: readonly string[]): string {
  if (codes.length === 0) return 'none';
  return codes.length <= MAX_CODES_IN_A_LABEL ? codes.join(',') : 'several';
}

/** One registry for all gateways of the process, because these metrics cannot be unregistered. */
let processMetrics: Registry | null = null;

/** Loads prom-client's metrics of the process: memory, CPU time, garbage collection, event loop delay. */
async function loadProcessMetrics(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  if (processMetrics !== null) return processMetrics;
  processMetrics = new Registry();
  collectDefaultMetrics({ register: processMetrics });
  return processMetrics;
}
