import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { MANIFEST_FACT } from '../gateway/settings.ts';
import {
  type Fact,
  type StartMessage,
  type ToPrimary,
  WORKER_COMMAND,
} from './messages.ts';
import { createWorkerTotals } from './totals.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

interface WorkersOptions {
  readonly count: number;
  readonly options: StartMessage['options'];
  readonly log: Logger;
  /** Takes the log of a worker. */
  readonly pipe: (output: NodeJS.ReadableStream) => void;
  /** A worker that takes longer to stop is killed. Unit: milliseconds. */
  readonly stopMs: number;
}

/** Facts that are kept for new workers: one for each list endpoint and a few more. What is beyond, each worker learns itself. */
const MAX_FACTS = 100;

/**
 * Starts workers that listen at one address, and replaces each that ends. The first one starts alone: if it cannot, this
 * throws the reason. Returns that address.
 */
export async function startWorkers(given: WorkersOptions) {
  const { count, log, pipe, stopMs } = given;
  let { options } = given;
  cluster.setupPrimary({
    args: [WORKER_COMMAND],
    // Workers write their logs through this process, because lines of several writers could mix.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const group = randomUUID();
  const running = new Set<WorkerProcess>();
  const facts = new Map<string, unknown>();
  const totals = createWorkerTotals(() => [...running]);
  const health = watchHealth((worker) => {
    log.error({ pid: worker.pid }, 'a worker does not answer, and is killed');
    worker.kill();
  });
  let isFirst = true;
  const stopping = new AbortController();

  function hear(from: WorkerProcess, message: ToPrimary): void {
    if (message.kind === 'pong') health.noteAnswer(from);
    else if (message.kind === 'snapshot') totals.take(from, message.metrics);
    else if (message.kind === 'totals') void answer(from);
    else if (message.kind === 'broadcast') {
      if (message.topic === 'fact') keep(message.message as Fact);
      for (const worker of running) if (worker !== from) worker.send(message);
    }
  }

  function keep({ key, fact }: Fact): void {
    if (facts.size < MAX_FACTS || facts.has(key)) facts.set(key, fact);
  }

  function tellFacts(worker: WorkerProcess): void {
    for (const [key, fact] of facts)
      worker.send({ kind: 'broadcast', topic: 'fact', message: { key, fact } });
  }

  async function answer(worker: WorkerProcess): Promise<void> {
    try {
      worker.send({ kind: 'totals', text: await totals.text() });
    } catch (error) {
      log.error({ err: error }, 'the metrics of the workers could not be added up');
    }
  }

  function start(): WorkerProcess {
    const own = { ...options, startIsLogged: !isFirst };
    const worker = startWorkerProcess({ kind: 'start', options: own, group }, hear);
    // Sent now, because a starting worker misses what others learn.
    void worker.listening.then(
      () => tellFacts(worker),
      () => {},
    );
    isFirst = false;
    running.add(worker);
    void worker.ended.then(() => running.delete(worker));
    health.watch(worker);
    return worker;
  }

  /** Replaces a worker and its successors until all are to stop. */
  async function keepAlive(first: WorkerProcess): Promise<void> {
    const waitAfter = createRestartDelay();
    for (let worker = first; ; worker = start()) {
      if (worker.output !== null) pipe(worker.output);
      worker.listening.catch(({ message }) =>
        log.error({ cause: message }, CANNOT_START),
      );
      const { how, livedMs } = await worker.ended;
      if (stopping.signal.aborted) return;
      totals.ended(worker);
      const waitMs = waitAfter(livedMs);
      log.error({ pid: worker.pid, how, waitMs }, 'a worker ended, and is replaced');
      await sleep(waitMs, null, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
    }
  }

  /** Lets all of them finish what they have accepted. */
  async function stop(): Promise<void> {
    stopping.abort();
    const late = setTimeout(() => {
      for (const worker of running) worker.kill();
    }, stopMs);
    for (const worker of running) worker.send({ kind: 'stop' });
    await Promise.all(Array.from(running, ({ ended }) => ended));
    clearTimeout(late);
  }

  const first = start();
  const url = await first.listening;
  const others = Array.from({ length: count - 1 }, start);
  await Promise.all(others.map(({ listening }) => listening)).catch(async (error) => {
    await stop();
    throw error;
  });
  // Only now: the line with the address comes before any other.
  setImmediate(() => {
    for (const worker of [first, ...others]) void keepAlive(worker);
  });
  return {
    url,
    stop,
    /** Gives another manifest to all workers, and to those that start later. */
    trust(manifest: StartMessage['options']['manifest']): void {
      options = { ...options, manifest };
      facts.set(MANIFEST_FACT, manifest);
      for (const worker of running) tellFacts(worker);
    },
  };
}

const CANNOT_START = 'a worker could not start';

/** A worker that ran at least this long did not fail at its start. Unit: milliseconds. */
const LONG_LIFE_MS = 30_000;
/** The wait after the second short life in a row; each further one doubles it. Unit: milliseconds. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Returns how long to wait before replacing a worker, by how long it lived; one function for a worker and its successors. No
 * wait after the first short life, because it may be the only one. Unit: milliseconds.
 */
function createRestartDelay(): (livedMs: number) => number {
  let shortLives = 0;
  return (livedMs) => {
    shortLives = livedMs < LONG_LIFE_MS ? shortLives + 1 : 0;
    if (shortLives < 2) return 0;
    return Math.min(FIRST_WAIT_MS * 2 ** (shortLives - 2), LONGEST_WAIT_MS);
  };
}

/** Unit: milliseconds. */
const ASK_EVERY_MS = 2000;
/**
 * A worker that leaves this number of questions unanswered, for 20 seconds together, hangs. One that works answers in
 * less than a second, and a collection of its garbage or a snapshot of its memory takes a few. Questions are counted, and
 * not seconds: on a machine that is too busy or was asleep, this process asks fewer.
 */
const MAX_UNANSWERED = 10;

/** Asks the workers whether they still do anything, and finds those that hang. */
function watchHealth(onHang: (worker: WorkerProcess) => void) {
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
    /** Begins to ask a worker, which answers as soon as its code is loaded. */
    watch(worker: WorkerProcess): void {
      unanswered.set(worker, 0);
      void worker.ended.then(() => unanswered.delete(worker));
    },
    noteAnswer(worker: WorkerProcess): void {
      if (unanswered.has(worker)) unanswered.set(worker, 0);
    },
  };
}
