import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Service } from '../genome/genome.ts';
import type { Others } from './bystander.ts';

/** The service behind the attacked gateway, and B, in a thread of their own: neither waits for the attacker. */
export interface Beside extends AsyncDisposable {
  readonly serviceUrl: string;
  /** How calls are answered from now on; null: well. */
  behave(service: Service | null): Promise<void>;
  /** The service's calls since the last `behave`. */
  calls(): Promise<number>;
  startB(url: string, expected: string | null): Promise<void>;
  stopB(): Promise<Others>;
}

export async function startBeside(): Promise<Beside> {
  const worker = new Worker(new URL('./beside-thread.ts', import.meta.url));
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
