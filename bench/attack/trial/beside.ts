/** The service behind the attacked gateway, and B, in a thread of their own: neither waits for the attacker. */
import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Service } from '../genome/genome.ts';
import { type Bystander, type Others, startBystander } from './bystander.ts';
import { startAttackService } from './service.ts';

export interface Beside extends AsyncDisposable {
  readonly serviceUrl: string;
  /** How calls are answered from now on; null: well. */
  behave(service: Service | null): Promise<void>;
  /** The service's calls since the last `behave`. */
  calls(): Promise<number>;
  startB(url: string, expected: string | null): Promise<void>;
  stopB(): Promise<Others>;
}

/** Marks the thread, because tests may run this file in threads of their own. */
const THREAD = 'beside the attack';

export async function startBeside(): Promise<Beside> {
  const worker = new Worker(new URL(import.meta.url), { workerData: THREAD });
  /** One question is asked at a time. */
  async function ask<T>(...question: readonly unknown[]): Promise<T> {
    const answer = once(worker, 'message');
    worker.postMessage(question);
    return (await answer)[0];
  }
  return {
    serviceUrl: await ask('serviceUrl'),
    behave: (service) => ask('behave', service),
    calls: () => ask('calls'),
    startB: (url, expected) => ask('startB', url, expected),
    stopB: () => ask('stopB'),
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

if (workerData === THREAD) {
  const service = await startAttackService();
  let bystander: Bystander | null = null;
  const methods = {
    serviceUrl: () => service.url,
    behave: (next: Service | null) => service.behave(next),
    calls: () => service.calls(),
    startB(url: string, expected: string | null) {
      bystander = startBystander(url, expected);
    },
    stopB: () => bystander?.stop(),
  };
  parentPort?.on('message', async ([name, ...given]) => {
    const method: (...given: never[]) => unknown = methods[name as keyof typeof methods];
    parentPort?.postMessage(await method(...(given as never[])));
  });
}
