import type { Registry } from 'prom-client';
import type { CallOutcome } from '../rest/errors.ts';
import type { AttemptInfo } from '../rest/observe.ts';
import { registerCounter, registerHistogram } from './counts.ts';
import { type MetricName, registerSources, type Sources } from './metric-table.ts';
import type { Totals } from './snapshot.ts';

/** The result of an operation, for log, metrics and trace. */
export interface OperationResult {
  /** Null if the document could not be read, or it was unclear which operation to execute. */
  readonly type: 'query' | 'mutation' | 'subscription' | null;
  /** Its name, without the token, which a client may have written there; null if it has none. */
  readonly name: string | null;
  /** The client that sent it, as it names itself, without the token; undefined if it does not. */
  readonly client: string | undefined;
  readonly clientVersion: string | undefined;
  /** The codes of its errors, each once, sorted. */
  readonly codes: readonly string[];
}

/** The metrics for Prometheus. */
export type Metrics = Awaited<ReturnType<typeof createMetrics>>;

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
export async function createMetrics(sources: Sources, totals: Totals | null) {
  const { Registry } = await import('prom-client');
  const ofProcess = await loadProcessMetrics();
  const registry = new Registry();
  const seconds = (name: MetricName) => registerHistogram(registry, name, BUCKETS);
  const counter = (name: MetricName) => registerCounter(registry, name);

  const timeOperation = seconds('gateway_operation_duration_seconds');
  const timeEvent = seconds('gateway_live_event_duration_seconds');
  const timeCall = seconds('gateway_rest_call_duration_seconds');
  const countOperation = counter('gateway_operations_total');
  const countEvent = counter('gateway_live_events_total');
  const countCall = counter('gateway_rest_calls_total');
  const countRetry = counter('gateway_rest_retries_total');
  const countResponse = counter('gateway_http_responses_total');
  registerSources(registry, sources);
  totals?.offer(async () => [
    ...(await registry.getMetricsAsJSON()),
    ...(await ofProcess.getMetricsAsJSON()),
  ]);

  return {
    /** `ms`: its duration, in milliseconds. */
    countOperation(
      { type, codes }: OperationResult,
      ms: number,
      clientLeft: boolean,
    ): void {
      const kind = type ?? 'unknown';
      countOperation(kind, clientLeft ? 'left' : toLabel(codes));
      timeOperation(ms / 1000, kind);
    },
    /** Counts an operation that the manifest of trusted documents does not list, and that ran nevertheless. */
    countUntrusted: counter('gateway_untrusted_operations_total'),
    /** Counts the event of a subscription as an operation is counted. */
    countEvent({ codes }: OperationResult, ms: number): void {
      countEvent(toLabel(codes));
      timeEvent(ms / 1000);
    },
    /** Counts one attempt of a call. */
    countCall(
      { call: { method, route }, number }: AttemptInfo,
      ms: number,
      outcome: CallOutcome,
    ): void {
      countCall(method, route, outcomeClass(outcome));
      timeCall(ms / 1000, method, route);
      if (number > 0) countRetry(method, route);
    },
    /** Counts an HTTP answer on any path; `route` is the registered route, and not the client's text. */
    countResponse: (route: string, status: number): void =>
      countResponse(route, String(status)),
    /** Counts a client that was disconnected because it did not read its answer. */
    countSlowClient: counter('gateway_slow_clients_total'),
    contentType: registry.contentType,
    /** All but the metrics of the process, in Prometheus' text format. */
    ownText: () => registry.metrics(),
    /** All of them. */
    text:
      totals?.text ??
      (async () => (await registry.metrics()) + (await ofProcess.metrics())),
  };
}

/** One of ten labels: `2xx` and the like, or why there was no answer. A service may invent statuses, so none is a label. */
function outcomeClass(outcome: CallOutcome): string {
  if (typeof outcome !== 'number') return outcome;
  return outcome >= 100 && outcome < 600 ? `${Math.floor(outcome / 100)}xx` : 'other';
}

function toLabel(codes: readonly string[]): string {
  if (codes.length === 0) return 'none';
  return codes.length <= MAX_CODES_IN_A_LABEL ? codes.join(',') : 'several';
}

/**
 * How often the delay of the event loop is sampled. Each sample wakes an idle process: one every 10 ms takes 0.6 % of a core.
 * Unit: milliseconds.
 */
const DELAY_SAMPLE_MS = 50;

/** One registry for all gateways of the process, because these metrics cannot be unregistered. */
let processMetrics: Registry | null = null;

/** Loads prom-client's metrics of the process: memory, CPU time, garbage collection, event loop delay. */
async function loadProcessMetrics(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  if (processMetrics !== null) return processMetrics;
  processMetrics = new Registry();
  collectDefaultMetrics({
    register: processMetrics,
    eventLoopMonitoringPrecision: DELAY_SAMPLE_MS,
  });
  return processMetrics;
}
