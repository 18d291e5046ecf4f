import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { toAddress } from '../../../test/support/command.ts';
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

const LAUNCHER = fileURLToPath(
  new URL('../../../bin/messaging-graphql.js', import.meta.url),
);
const GATEWAY_SIDE = new URL('./gateway-side.ts', import.meta.url).href;
/** A thread that gives no answer for this time hangs. Unit: milliseconds. */
const ANSWERS_WITHIN = 120_000;
/** It is idle when it uses less than this in each period. Unit: milliseconds. */
const IDLE_MS = 6;
const IDLE_PERIOD_MS = 40;
const MAX_IDLE_PERIODS = 100;
/** How many lines of errors are kept, to explain an end. */
const KEPT_LINES = 5;

/** `nodeOptions`: of its process, besides those that it is measured with. */
export async function startAttackedGateway(
  messagingUrl: string,
  nodeOptions: readonly string[] = [],
): Promise<AttackedGateway> {
  const child = spawn(
    process.execPath,
    ['--expose-gc', ...nodeOptions, '--import', GATEWAY_SIDE, LAUNCHER],
    {
      // Where no file .env changes its settings.
      cwd: tmpdir(),
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        NODE_ENV: 'production',
        MESSAGING_URL: messagingUrl,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  const { first, last } = readLines(child);
  let death: string | null = null;
  const ended = once(child, 'exit').then(([code, signal]) => {
    death = `ended with ${signal ?? code}: ${last.join(' ').trim().slice(0, 300)}`;
    return null;
  });
  const url = toAddress((await Promise.race([first, ended])) ?? '');
  if (url === '') throw new Error(`The gateway did not start: ${death}`);

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
      return readMemory(child, 'VmRSS');
    },
    async begin() {
      forgetPeak(child);
      await ask('begin');
    },
    async end() {
      const busy = await ask('end');
      return busy && { ...busy, peak: readMemory(child, 'VmHWM') };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function readLines({ stdout, stderr }: ChildProcess) {
  if (stdout === null || stderr === null) throw new Error('The gateway has no output.');
  const last: string[] = [];
  const { promise: first, resolve } = Promise.withResolvers<string>();
  createInterface(stdout).on('line', resolve);
  createInterface(stderr).on('line', (line) => {
    if (last.length < KEPT_LINES) last.push(line);
  });
  return { first, last };
}

/** 0 if the process has ended. Unit: bytes. */
function readMemory({ pid = 0 }: ChildProcess, field: 'VmRSS' | 'VmHWM'): number {
  try {
    return memoryOf(pid, field);
  } catch {
    return 0;
  }
}

/** Lets `VmHWM` begin again at what the process holds now. */
function forgetPeak({ pid }: ChildProcess): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The process has ended, which `end` reports.
  }
}
