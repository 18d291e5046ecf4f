import type { Registry } from 'prom-client';
import type { BreakerState } from '../rest/breaker.ts';
import type { PoolStats } from '../rest/client.ts';

/** A metric that is not counted as things happen, but read where it is kept when somebody asks. */
export interface Gauge {
  readonly type: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  /** Their values must come from closed sets. */
  readonly labelNames: readonly string[];
  read(): Iterable<{ labels: Readonly<Record<string, string>>; value: number }>;
}

export async function registerGauge(
  registry: Registry,
  { type, name, help, labelNames, read }: Gauge,
): Promise<void> {
  const { Counter, Gauge } = await import('prom-client');
  const common = { name, help, labelNames: [...labelNames], registers: [registry] };
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

/** The connections to the service, and the calls that have or want one. */
export const poolGauge = (stats: () => PoolStats): Gauge => ({
  type: 'gauge',
  name: 'gateway_rest_pool',
  help: 'Connections to the service: connected, of these free; calls on them: running, pending (sent to a connection that is not open yet), queued (for want of one).',
  labelNames: ['state'],
  read() {
    const { connected, free, running, pending, queued } = stats();
    return Object.entries({ connected, free, running, pending, queued }).map(
      ([state, value]) => ({ labels: { state }, value }),
    );
  },
});

/** What the bounded queue before the pool holds. */
export const underWayGauge = (underWay: () => number): Gauge => ({
  type: 'gauge',
  name: 'gateway_rest_calls_under_way',
  help: 'Calls let in and not ended, with those that wait for a connection or a retry; at REST_CONNECTIONS + REST_QUEUE, more are refused.',
  labelNames: [],
  read: () => [{ labels: {}, value: underWay() }],
});

const BREAKER_STATES: readonly BreakerState[] = ['closed', 'open', 'half-open'];

/** The state that the circuit to the service is in is 1, the others 0. */
export const breakerGauge = (state: () => BreakerState): Gauge => ({
  type: 'gauge',
  name: 'gateway_breaker_state',
  help: 'The circuit to the service: 1 for the state it is in.',
  labelNames: ['state'],
  read: () =>
    BREAKER_STATES.map((name) => ({
      labels: { state: name },
      value: name === state() ? 1 : 0,
    })),
});

/** Drift by object; the fields' names are the service's, and so no labels. */
export const driftGauge = (
  counts: () => readonly { object: string; kind: string; count: number }[],
): Gauge => ({
  type: 'counter',
  name: 'gateway_drift_total',
  help: 'Fields the interface does not name, and promised ones that were missing.',
  labelNames: ['object', 'kind'],
  read: () =>
    counts().map(({ object, kind, count }) => ({
      labels: { object, kind },
      value: count,
    })),
});
