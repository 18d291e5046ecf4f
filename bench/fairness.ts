import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../test/support/gateway.ts';
import { startUpstream, type UpstreamAnswer } from '../test/support/upstream.ts';
import { wireMessage } from '../test/support/wire.ts';
import type { Row } from './faults.ts';
import { startGatewayProcess } from './gateway-process.ts';

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
const USUAL_MS = 20;

/** Measures what B gets alone, and beside an A whom the service treats badly. */
export async function measureFairness(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const treatment of TREATMENTS) {
    const { alone, beside } = await measureTreatment(treatment);
    const good = beside.filter(({ isGood }) => isGood).length;
    const times = [alone, beside].map(
      (asked) => `${percentile(asked, 50)} and ${percentile(asked, 99)} ms`,
    );
    rows.push([
      `the service ${treatment.what} for A: answers of B; median and 99th percentile alone, beside A`,
      `${good} of ${beside.length}; ${times.join(', ')}`,
    ]);
  }
  return rows;
}

async function measureTreatment(treatment: Treatment) {
  await using upstream = await startUpstream(({ line, token }) =>
    token === 'Bearer a'
      ? { body: wireMessage('a'), ...treatment.answer }
      : { body: wireMessage(line.split('/').at(-1) ?? ''), delayMs: USUAL_MS },
  );
  await using gateway = await startGatewayProcess(upstream.url);
  // The first operations of a process are slow.
  await askAsB(gateway.url, B_OPERATIONS / 4);
  // Half before and half after, because the machine may get slower or faster meanwhile.
  const before = await askAsB(gateway.url, B_OPERATIONS / 2);
  const controller = new AbortController();
  const { signal } = controller;
  const crowd = Array.from({ length: treatment.clients }, (_, client) =>
    askAsA(gateway.url, { client, signal, periodMs: treatment.periodMs }),
  );
  const beside = await askAsB(gateway.url, B_OPERATIONS);
  controller.abort();
  await Promise.all(crowd);
  const after = await askAsB(gateway.url, B_OPERATIONS / 2);
  return { alone: [...before, ...after], beside };
}

const reads = (count: number, prefix: string) =>
  `{ ${Array.from({ length: count }, (_, i) => `f${i}: message(id: "${prefix}-${i}") { id }`).join(' ')} }`;

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

/** An operation of B that was answered. */
interface Asked {
  readonly isGood: boolean;
  readonly ms: number;
}

function askAsB(url: string, operations: number): Promise<Asked[]> {
  return Promise.all(
    Array.from({ length: operations }, async (_, index): Promise<Asked> => {
      await sleep(index * B_PERIOD_MS);
      const began = performance.now();
      const answer = await ask(url, reads(B_READS, `b${index}`), { token: 'b' });
      return { isGood: answer.errors === undefined, ms: performance.now() - began };
    }),
  );
}

/** The time within which this share of the operations was answered. Unit: percent; milliseconds. */
function percentile(asked: readonly Asked[], percent: number): string {
  const times = asked.map(({ ms }) => ms).sort((one, other) => one - other);
  return (times[Math.ceil((times.length * percent) / 100) - 1] ?? Number.NaN).toFixed();
}
