import type { Registry } from 'prom-client';

/** One registry for all gateways of the process, because these metrics cannot be unregistered. */
let loading: Promise<Registry> | null = null;

/** Loads prom-client's metrics of the process: memory, CPU time, garbage collection, event loop delay. */
export function loadProcessMetrics(): Promise<Registry> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}
