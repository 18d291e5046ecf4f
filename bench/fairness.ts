/**
 * Measures what caller B gets beside caller A, whom the service treats badly. The service and A are in a thread of their own, so
 * that their work does not delay B.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ask, reads } from '../test/support/gateway.ts';
import { startUpstream, type UpstreamAnswer } from '../test/support/upstream.ts';
import { wireMessage } from '../test/support/wire.ts';
import { type Asked, askAsB } from './bystander.ts';
import type { Row } from './faults.ts';
import { quantile } from './performance/statistics.ts';
import { type MeasuredGateway, startGateway } from './process.ts';

/** How the service treats caller A, and how many operations A sends at once and how often. */
interface Treatment {
  readonly what: string;
  readonly answer: UpstreamAnswer;
  readonly clients: number;
  /** A client sends its next operation when it has an answer, but not before this time. Unit: milliseconds. */
  readonly periodMs: number;
}

const CROWD = { clients: 5, periodMs: 10_000 };
const LIMITED = { status: 429, headers: { 'retry-after': '20' } };
const TREATMENTS: readonly Treatment[] = [
  { what: 'hangs', answer: { delayMs: 60_000 }, ...CROWD },
  { what: 'takes 1 s', answer: { delayMs: 1000 }, ...CROWD },
  { what: 'answers 429, Retry-After: 20', answer: LIMITED, ...CROWD },
  { what: 'answers 500', answer: { status: 500 }, clients: 1, periodMs: 1000 },
];

const A_READS = 250;
const B_READS = 3;
const B_OPERATIONS = 800;
/** B sends its operations this often, even if earlier ones are not answered. Unit: milliseconds. */
const B_PERIOD_MS = 25;
/** How long the service takes for a call of B. Unit: milliseconds. */
export const USUAL_MS = 20;

/** Measures what B gets alone, and beside an A whom the service treats badly. */
export async function measureFairness(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const treatment of TREATMENTS) {
    const measured = await measureBeside(fileURLToPath(import.meta.url), treatment);
    rows.push(toRow(treatment.what, measured));
    const threads = [measured.alone, measured.beside].map(
      (asked) => `${at(asked, 0.99, 'threadMs')} ms`,
    );
    rows.push(["of this, the gateway's thread: 99th percentile", '', ...threads]);
  }
  return rows;
}

interface Measured {
  readonly alone: readonly Asked[];
  readonly beside: readonly Asked[];
}

const at = (asked: readonly Asked[], part: number, of: 'ms' | 'threadMs'): string =>
  quantile(
    asked.map((one) => one[of]),
    part,
  ).toFixed();

export function toRow(what: string, { alone, beside }: Measured): Row {
  const good = beside.filter(({ isGood }) => isGood).length;
  const times = [alone, beside].map(
    (asked) => `${at(asked, 0.5, 'ms')} and ${at(asked, 0.99, 'ms')} ms`,
  );
  return [what, `${good} of ${beside.length}`, ...times];
}

/** Measures what B gets alone, and beside what the program of a thread does with the address that it gets. */
export async function measureBeside(
  program: string,
  workerData: unknown,
): Promise<Measured> {
  const others = new Worker(program, { workerData });
  const [messagingUrl] = await once(others, 'message');
  await using gateway = await startGateway(messagingUrl);
  // The first operations of a process are slow.
  await askSome(gateway, B_OPERATIONS / 4);
  // Half before and half after, because the machine may get slower or faster meanwhile.
  const before = await askSome(gateway, B_OPERATIONS / 2);
  others.postMessage(gateway.url);
  const beside = await askSome(gateway, B_OPERATIONS);
  others.postMessage('stop');
  await once(others, 'message');
  const after = await askSome(gateway, B_OPERATIONS / 2);
  await others.terminate();
  return { alone: [...before, ...after], beside };
}

let operationsOfB = 0;

function askSome(gateway: MeasuredGateway, count: number): Promise<Asked[]> {
  const operations = Array.from({ length: count }, () => {
    operationsOfB += 1;
    // None of them is equal to a read of another operation.
    return reads(B_READS, `b${operationsOfB}-`);
  });
  return askAsB(gateway, operations, B_PERIOD_MS);
}

if (!isMainThread && parentPort !== null && 'answer' in workerData) {
  const { answer, clients, periodMs } = workerData as Treatment;
  await using upstream = await startUpstream(({ token }) =>
    token === 'Bearer a'
      ? { body: wireMessage('a'), ...answer }
      : { body: wireMessage('b'), delayMs: USUAL_MS },
  );
  parentPort.postMessage(upstream.url);
  const [url] = await once(parentPort, 'message');
  const controller = new AbortController();
  const { signal } = controller;
  const crowd = Array.from({ length: clients }, async (_, client) => {
    while (!signal.aborted) {
      const asked = ask(url, reads(A_READS, `a${client}-`), { token: 'a', signal });
      await Promise.allSettled([asked, sleep(periodMs, undefined, { signal })]);
    }
  });
  await once(parentPort, 'message');
  controller.abort();
  await Promise.all(crowd);
  parentPort.postMessage('stopped');
  await once(parentPort, 'close');
}
