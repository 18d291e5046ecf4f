import { registerSources, type Sources } from './metric-table.ts';
import type { MetricsSnapshot } from './snapshot.ts';

/** Adds up the metrics of processes, each in the way that suits it: most are summed, some are averaged. */
export async function addUp(
  snapshots: readonly MetricsSnapshot[],
  sources: Sources,
): Promise<string> {
  const { AggregatorRegistry, Registry } = await import('prom-client');
  const own = new Registry();
  registerSources(own, sources);
  const all = AggregatorRegistry.aggregate([...snapshots]);
  return (await all.metrics()) + (await own.metrics());
}

/** The counts of ended processes: without them, sums would fall, which Prometheus reads as a restart. */
export async function addCounts(
  snapshots: readonly MetricsSnapshot[],
): Promise<MetricsSnapshot> {
  const { AggregatorRegistry } = await import('prom-client');
  const counts = snapshots.map((metrics) => metrics.filter(isCount));
  return AggregatorRegistry.aggregate(counts).getMetricsAsJSON();
}

const isCount = ({ type }: MetricsSnapshot[number]): boolean =>
  String(type) === 'counter' || String(type) === 'histogram';
