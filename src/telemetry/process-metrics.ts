import type { Registry } from 'prom-client';

/** The process has one set of meters, however many gateways run in it: they cannot be taken down again. */
let loading: Promise<Registry> | null = null;

/** Memory, CPU time, garbage collection, delay of the event loop: what prom-client knows of a process. */
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
