import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { LAUNCHER } from '../../../test/support/command.ts';
import { startServer } from '../../performance/processes.ts';
import { memoryOf } from '../../process.ts';
import type { Busy, Question } from './gateway-side.ts';

/** A gateway in a process of its own, with default settings, as in production. Linux only. */
export interface AttackedGateway extends AsyncDisposable {
  readonly url: string;
  /** Waits until it has nothing to do, and collects what it does not use. Returns the memory it holds. Unit: bytes. */
  settle(): Promise<number>;
  begin(): Promise<void>;
  /** What was seen since `begin`. Null: the process has ended, or gives no answer. */
  end(): Promise<Measured | null>;
  /** Null while it runs. */
  death(): string | null;
}

interface Measured extends Busy {
  /** The most memory that it held at once. Unit: bytes. */
  readonly peak: number;
}

const GATEWAY_SIDE = new URL('./gateway-side.ts', import.meta.url).href;
/** A thread that gives no answer for this time hangs. Unit: milliseconds. */
const ANSWERS_WITHIN = 120_000;
/** It is idle when it uses less than this in each period. Unit: milliseconds. */
const IDLE_MS = 6;
const IDLE_PERIOD_MS = 40;
const MAX_IDLE_PERIODS = 100;

/** `nodeOptions`: of its process, besides those that it is measured with. */
export async function startAttackedGateway(
  messagingUrl: string,
  nodeOptions: readonly string[] = [],
): Promise<AttackedGateway> {
  const { child, url, errors, stop } = await startServer(
    ['--expose-gc', ...nodeOptions, '--import', GATEWAY_SIDE, LAUNCHER],
    // Where no file .env changes its settings.
    { cwd: tmpdir(), env: { MESSAGING_URL: messagingUrl }, isPinned: false, ipc: true },
  );
  const { pid = 0 } = child;
  let death: string | null = null;
  const ended = once(child, 'exit').then(([code, signal]) => {
    death = `ended with ${signal ?? code}: ${errors.join(' ').trim().slice(0, 300)}`;
    return null;
  });

  async function ask(question: Question): Promise<Busy | null> {
    if (death !== null) return null;
    const signal = AbortSignal.timeout(ANSWERS_WITHIN);
    const answer = once(child, 'message', { signal }).then(
      ([busy]) => busy as Busy,
      () => null,
    );
    child.send(question, () => {});
    return Promise.race([answer, ended]);
  }
  /** Null if the process has ended. */
  function inProcess<T>(read: () => T): T | null {
    try {
      return read();
    } catch {
      return null;
    }
  }

  return {
    url,
    death: () => death,
    async settle() {
      let before = (await ask('end'))?.totalMs ?? 0;
      for (let periods = 0; periods < MAX_IDLE_PERIODS; periods += 1) {
        await sleep(IDLE_PERIOD_MS);
        const now = (await ask('end'))?.totalMs ?? 0;
        if (now - before < IDLE_MS) break;
        before = now;
      }
      await ask('collect');
      return inProcess(() => memoryOf(pid)) ?? 0;
    },
    async begin() {
      // Lets `VmHWM` begin again at what the process holds now.
      inProcess(() => writeFileSync(`/proc/${pid}/clear_refs`, '5'));
      await ask('begin');
    },
    async end() {
      const busy = await ask('end');
      return busy && { ...busy, peak: inProcess(() => memoryOf(pid, 'VmHWM')) ?? 0 };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await stop();
    },
  };
}
