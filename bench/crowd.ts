/**
 * The other side of bench/fairness.ts, in a thread of its own, so that their work does not delay the client that is
 * measured: the service, and caller A. Its messages, in order: it sends the address of the service; it receives the address
 * of the gateway; `start` starts A; `stop` stops A and is answered with `stopped`; `end` is answered with the `Served` of all
 * calls of B.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { ask } from '../test/support/gateway.ts';
import { startUpstream, type UpstreamAnswer } from '../test/support/upstream.ts';
import { wireMessage } from '../test/support/wire.ts';
import { threadTime } from './gateway-process.ts';

/** How the service treats caller A, and how many operations A sends at once and how often. */
export interface Treatment {
  readonly what: string;
  readonly answer: UpstreamAnswer;
  readonly clients: number;
  /** A client sends its next operation when it has an answer, but not before this time. Unit: milliseconds. */
  readonly periodMs: number;
}

/** When the service got a call of B and answered it, in thread time of the gateway. Unit: milliseconds. */
export interface Served {
  readonly got: number;
  readonly answered: number;
}

const A_READS = 250;
/** How long the service takes for a call of B. Unit: milliseconds. */
export const USUAL_MS = 20;

/** An operation of `count` reads, none of which is equal to a read of another operation. */
export const reads = (count: number, prefix: string) =>
  `{ ${Array.from({ length: count }, (_, i) => `f${i}: message(id: "${prefix}-${i}") { id }`).join(' ')} }`;

if (parentPort !== null) {
  const { answer, clients, periodMs } = workerData as Treatment;
  const served = new Map<string, Served>();
  let pid = 0;
  await using upstream = await startUpstream(async ({ line, token }) => {
    if (token === 'Bearer a') return { body: wireMessage('a'), ...answer };
    const id = line.split('/').at(-1) ?? '';
    const got = threadTime(pid);
    await sleep(USUAL_MS);
    served.set(id, { got, answered: threadTime(pid) });
    return { body: wireMessage(id) };
  });
  parentPort.postMessage(upstream.url);
  const [gateway] = await once(parentPort, 'message');
  const url: string = gateway.url;
  pid = gateway.pid;
  await once(parentPort, 'message');
  const controller = new AbortController();
  const { signal } = controller;
  const crowd = Array.from({ length: clients }, (_, client) =>
    askAsA(url, { client, signal, periodMs }),
  );
  await once(parentPort, 'message');
  controller.abort();
  await Promise.all(crowd);
  parentPort.postMessage('stopped');
  await once(parentPort, 'message');
  parentPort.postMessage(served);
}

/** Sends one operation after another until the signal aborts. */
async function askAsA(
  url: string,
  { client, signal, periodMs }: { client: number; signal: AbortSignal; periodMs: number },
): Promise<void> {
  while (!signal.aborted) {
    const asked = ask(url, reads(A_READS, `a${client}`), { token: 'a', signal });
    const pause = sleep(periodMs, undefined, { signal });
    await Promise.allSettled([asked, pause]);
  }
}
