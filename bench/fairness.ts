import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ask } from '../test/support/gateway.ts';
import { reads, type Treatment } from './crowd.ts';
import type { Row } from './faults.ts';
import { startGatewayProcess } from './gateway-process.ts';

const CROWD = { clients: 5, periodMs: 10_000 };
const LIMITED = { status: 429, headers: { 'retry-after': '20' } };
const TREATMENTS: readonly Treatment[] = [
  { what: 'hangs', answer: { delayMs: 60_000 }, ...CROWD },
  { what: 'takes 1 s', answer: { delayMs: 1000 }, ...CROWD },
  { what: 'answers 429, Retry-After: 20', answer: LIMITED, ...CROWD },
  { what: 'answers 500', answer: { status: 500 }, clients: 1, periodMs: 1000 },
];

const B_READS = 3;
const B_OPERATIONS = 800;
/** B sends its operations this often, even if earlier ones are not answered. Unit: milliseconds. */
const B_PERIOD_MS = 25;

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
  const crowd = new Worker(new URL('./crowd.ts', import.meta.url), {
    workerData: treatment,
  });
  const [messagingUrl] = await once(crowd, 'message');
  await using gateway = await startGatewayProcess(messagingUrl);
  // The first operations of a process are slow.
  await askAsB(gateway.url, B_OPERATIONS / 4);
  // Half before and half after, because the machine may get slower or faster meanwhile.
  const before = await askAsB(gateway.url, B_OPERATIONS / 2);
  crowd.postMessage(gateway.url);
  const beside = await askAsB(gateway.url, B_OPERATIONS);
  crowd.postMessage('stop');
  await once(crowd, 'message');
  const after = await askAsB(gateway.url, B_OPERATIONS / 2);
  await crowd.terminate();
  return { alone: [...before, ...after], beside };
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
