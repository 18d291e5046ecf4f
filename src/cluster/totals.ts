import type { MetricsSnapshot } from '../telemetry/snapshot.ts';
import { addCounts, addUp } from '../telemetry/totals.ts';
import type { WorkerProcess } from './worker-process.ts';

/** How long a worker may take to answer; of a late one, the last answer counts. Unit: milliseconds. */
const ANSWER_MS = 1000;

/** The metrics of all workers, in the primary process. */
export function createWorkerTotals(workers: () => readonly WorkerProcess[]) {
  const latest = new Map<WorkerProcess, MetricsSnapshot>();
  /** Counts of ended workers. */
  let past: Promise<MetricsSnapshot> | null = null;
  let ends = 0;
  /** Nothing more is expected from a worker: it has answered, or is over. */
  let stopWaiting = (_worker: WorkerProcess) => {};
  let running: Promise<string> | null = null;

  /** Resolves when all workers have answered or ended, or it takes too long. */
  function askAll(): Promise<void> {
    const missing = new Set(workers());
    return new Promise((resolve) => {
      const late = setTimeout(resolve, ANSWER_MS);
      stopWaiting = (worker) => {
        missing.delete(worker);
        if (missing.size > 0) return;
        clearTimeout(late);
        resolve();
      };
      for (const worker of missing) worker.send({ kind: 'snapshot' });
    });
  }

  async function collect(): Promise<string> {
    await askAll();
    const snapshots = [...latest.values()];
    if (past !== null) snapshots.push(await past);
    return addUp(snapshots, {
      gateway_workers: () => workers().length,
      gateway_worker_ends_total: () => ends,
    });
  }

  return {
    /** Takes what a worker has counted. An answer that comes late answers the next question too. */
    take(worker: WorkerProcess, metrics: MetricsSnapshot): void {
      latest.set(worker, metrics);
      stopWaiting(worker);
    },
    /** A worker is over: what it had counted when it was last asked stays in the sums. */
    ended(worker: WorkerProcess): void {
      ends += 1;
      stopWaiting(worker);
      const last = latest.get(worker);
      latest.delete(worker);
      if (last === undefined) return;
      const before = past;
      past = (async () => addCounts(before === null ? [last] : [last, await before]))();
    },
    /** All together in Prometheus' text format. */
    text(): Promise<string> {
      running ??= collect().finally(() => {
        running = null;
      });
      return running;
    },
  };
}
