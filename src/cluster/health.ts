import type { WorkerProcess } from './worker-process.ts';

/** Asks the workers whether they still do anything, and finds those that hang. */
export interface Health {
  /** Begins to ask a worker, which listens by now. */
  watch(worker: WorkerProcess): void;
  noteAnswer(worker: WorkerProcess): void;
}

/** Unit: milliseconds. */
const ASK_EVERY_MS = 2000;
/**
 * A worker that leaves this number of questions unanswered, for 20 seconds together, hangs. One that works answers in
 * less than a second, and a collection of its garbage or a snapshot of its memory takes a few. Questions are counted, and
 * not seconds: on a machine that is too busy or was asleep, this process asks fewer.
 */
const MAX_UNANSWERED = 10;

export function watchHealth(onHang: (worker: WorkerProcess) => void): Health {
  const unanswered = new Map<WorkerProcess, number>();

  function ask(): void {
    for (const [worker, count] of unanswered) {
      if (count === MAX_UNANSWERED) onHang(worker);
      worker.send({ kind: 'ping' });
      unanswered.set(worker, count + 1);
    }
  }

  setInterval(ask, ASK_EVERY_MS).unref();
  return {
    watch(worker) {
      unanswered.set(worker, 0);
      void worker.ended.then(() => unanswered.delete(worker));
    },
    noteAnswer(worker) {
      if (unanswered.has(worker)) unanswered.set(worker, 0);
    },
  };
}
