import type { Registry } from 'prom-client';
import type { BreakerState } from '../rest/circuit.ts';
import type { PoolStats } from '../rest/client.ts';

/** A metric whose value is read when Prometheus asks, and not counted as things happen. */
export interface CollectedMetric {
  readonly type: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  /** The values of labels must come from closed sets. */
  readonly labelNames: readonly string[];
  /** How the values of several processes become one. Default: their sum. */
  readonly aggregator?: 'sum' | 'max';
  read(): Iterable<{ labels: Readonly<Record<string, string>>; value: number }>;
}

export async function registerCollected(
  registry: Registry,
  { type, name, help, labelNames, aggregator = 'sum', read }: CollectedMetric,
): Promise<void> {
  const { Counter, Gauge } = await import('prom-client');
  const labels = { labelNames: [...labelNames] };
  const common = { name, help, ...labels, aggregator, registers: [registry] };
  if (type === 'gauge') {
    new Gauge({
      ...common,
      collect() {
        this.reset();
        for (const { labels, value } of read()) this.set(labels, value);
      },
    });
  } else {
    new Counter({
      ...common,
      collect() {
        this.reset();
        for (const { labels, value } of read()) this.inc(labels, value);
      },
    });
  }
}

/** The connections to the service, and the calls on them or waiting for one. */
export const poolGauge = (stats: () => PoolStats): CollectedMetric => ({
  type: 'gauge',
  name: 'gateway_rest_pool',
  help: 'Connections to the service: connected, and how many of these are free. Calls: running, pending (their connection is not open yet), queued (they wait for a connection).',
  labelNames: ['state'],
  read() {
    const { connected, free, running, pending, queued } = stats();
    return Object.entries({ connected, free, running, pending, queued }).map(
      ([state, value]) => ({ labels: { state }, value }),
    );
  },
});

/** The calls that admission control has admitted. */
export const underWayGauge = (underWay: () => number): CollectedMetric => ({
  type: 'gauge',
  name: 'gateway_rest_calls_under_way',
  help: 'Admitted calls that have not ended, including those that wait for a connection or a retry.',
  labelNames: [],
  read: () => [{ labels: {}, value: underWay() }],
});

const BREAKER_STATES: readonly BreakerState[] = ['closed', 'open', 'half-open'];

/** 1 for the present state of the circuit to the service, 0 for the others. */
export const breakerGauge = (state: () => BreakerState): CollectedMetric => ({
  type: 'gauge',
  name: 'gateway_breaker_state',
  help: 'State of the circuit breaker: 1 for the current state, 0 for the others; of several workers, how many are in each.',
  labelNames: ['state'],
  read: () =>
    BREAKER_STATES.map((name) => ({
      labels: { state: name },
      value: name === state() ? 1 : 0,
    })),
});

/** Drift by object. The names of fields are the service's text, so they cannot be labels. */
export const driftCounter = (
  counts: () => readonly { object: string; kind: string; count: number }[],
): CollectedMetric => ({
  type: 'counter',
  name: 'gateway_drift_total',
  help: 'Fields that the interface does not name, and fields of the interface that were missing.',
  labelNames: ['object', 'kind'],
  read: () =>
    counts().map(({ object, kind, count }) => ({
      labels: { object, kind },
      value: count,
    })),
});

/** Whether Redis can be used: 1 or 0 for this process. There is no such metric without REDIS_URL. */
export const redisMetrics = (redis: { isReady(): boolean } | null): CollectedMetric[] =>
  redis === null
    ? []
    : [
        {
          type: 'gauge',
          name: 'gateway_redis_connected',
          help: 'Processes that are connected to Redis.',
          labelNames: [],
          read: () => [{ labels: {}, value: redis.isReady() ? 1 : 0 }],
        },
      ];
