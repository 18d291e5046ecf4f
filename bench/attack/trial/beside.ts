/** The service behind the attacked gateway, and B, in a thread of their own: neither waits for the attacker. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { Agent, fetch } from 'undici';
import { quantile } from '../../performance/statistics.ts';
import type { Service } from '../case.ts';
import { startAttackService, TOKEN_OF_B } from './service.ts';

/** What B got, another caller that sends one operation again and again. */
export interface Others {
  readonly asked: number;
  /** Answered in time, with the bytes that B gets alone. */
  readonly answered: number;
  /** Of the answers of another length or content. */
  readonly different: number;
  /** Unit: milliseconds. */
  readonly longestMs: number;
  readonly p99Ms: number;
}

export interface Beside extends AsyncDisposable {
  readonly serviceUrl: string;
  /** How calls are answered from now on. */
  behave(service: Service): Promise<void>;
  /** The service's calls since the last `behave`. */
  calls(): Promise<number>;
  /** `expected`: the answer that B gets alone; null to take the first one for it. */
  startB(url: string, expected: string | null): Promise<void>;
  stopB(): Promise<Others>;
}

/** Marks the thread, because tests may run this file in threads of their own. */
const THREAD = 'beside the attack';
/** Unit: milliseconds. */
const PERIOD = 15;
/** Other processes of a busy machine take some seconds, too. Unit: milliseconds. */
const ANSWERED_WITHIN = 5000;

export const OPERATION_OF_B = JSON.stringify({
  query: '{ conversation(id: "b1") { id messages(first: 3) { nodes { id message } } } }',
});

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

/** The status and the body of an answer to B; null if there is none in time. */
export async function askAsB(
  url: string,
  body: string | Buffer,
  dispatcher = new Agent({ connections: 1 }),
): Promise<string | null> {
  try {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        authorization: `Bearer ${TOKEN_OF_B}`,
      },
      body,
      dispatcher,
      signal: AbortSignal.timeout(ANSWERED_WITHIN),
    });
    return `${response.status} ${await response.text()}`;
  } catch {
    return null;
  }
}

/** B asks until the returned function is called. */
function startBystander(url: string, expected: string | null): () => Promise<Others> {
  const agent = new Agent({ connections: 1 });
  const times: number[] = [];
  let [answered, different] = [0, 0];
  let isOver = false;
  let first = expected;
  async function run(): Promise<void> {
    while (!isOver) {
      const began = performance.now();
      const text = await askAsB(url, OPERATION_OF_B, agent);
      times.push(performance.now() - began);
      first ??= text;
      if (text !== null && text === first) answered += 1;
      else if (text?.startsWith('200')) different += 1;
      await sleep(PERIOD);
    }
  }
  const running = run();
  return async () => {
    isOver = true;
    await running;
    await agent.destroy();
    const [longestMs, p99Ms] = [quantile(times, 1), quantile(times, 0.99)];
    return { asked: times.length, answered, different, longestMs, p99Ms };
  };
}

if (workerData === THREAD) {
  const service = await startAttackService();
  let stopB: () => Promise<Others> | undefined = () => undefined;
  const methods = {
    ...service,
    serviceUrl: () => service.url,
    startB(url: string, expected: string | null) {
      stopB = startBystander(url, expected);
    },
    stopB: () => stopB(),
  };
  parentPort?.on('message', async ([name, ...given]) => {
    const method = methods[name as keyof typeof methods] as (
      ...given: unknown[]
    ) => unknown;
    parentPort?.postMessage(await method(...given));
  });
}
