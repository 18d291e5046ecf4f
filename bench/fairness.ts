import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ask } from '../test/support/gateway.ts';
import { reads, type Served, type Treatment, USUAL_MS } from './crowd.ts';
import type { Row } from './faults.ts';
import {
  type GatewayProcess,
  startGatewayProcess,
  threadTime,
} from './gateway-process.ts';

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
    const { alone, beside, served } = await measureTreatment(treatment);
    const good = beside.filter(({ isGood }) => isGood).length;
    const times = [alone, beside].map((asked) => {
      const all = asked.map(({ ms }) => ms);
      return `${percentile(all, 50)} and ${percentile(all, 99)} ms`;
    });
    const waits = [alone, beside].map((asked) => {
      const all = asked.map((one) => USUAL_MS + threadTimeOf(one, served));
      return `${percentile(all, 99)} ms`;
    });
    rows.push([
      `the service ${treatment.what} for A: answers of B; median and 99th percentile alone, beside A`,
      `${good} of ${beside.length}; ${times.join(', ')}`,
    ]);
    rows.push([
      `the same without the time that other processes take: 99th percentile alone, beside A`,
      waits.join(', '),
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
  crowd.postMessage({ url: gateway.url, pid: gateway.pid });
  await askAsB(gateway, B_OPERATIONS / 4);
  // Half before and half after, because the machine may get slower or faster meanwhile.
  const before = await askAsB(gateway, B_OPERATIONS / 2);
  crowd.postMessage('start');
  const beside = await askAsB(gateway, B_OPERATIONS);
  crowd.postMessage('stop');
  await once(crowd, 'message');
  const after = await askAsB(gateway, B_OPERATIONS / 2);
  crowd.postMessage('end');
  const [served = new Map()]: Map<string, Served>[] = await once(crowd, 'message');
  await crowd.terminate();
  return { alone: [...before, ...after], beside, served };
}

/** An operation of B that was answered. */
interface Asked {
  readonly isGood: boolean;
  readonly ms: number;
  /** Of its calls. */
  readonly ids: readonly string[];
  /** When it was sent and answered, in thread time of the gateway. Unit: milliseconds. */
  readonly sent: number;
  readonly answered: number;
}

/** How long the gateway's thread worked, for any caller, before B's last call arrived at the service and after its answer. */
function threadTimeOf(
  { ids, sent, answered }: Asked,
  served: Map<string, Served>,
): number {
  const calls = ids.map((id) => served.get(id)).filter((call) => call !== undefined);
  const lastGot = Math.max(...calls.map(({ got }) => got));
  const lastAnswered = Math.max(...calls.map((call) => call.answered));
  return lastGot - sent + answered - lastAnswered;
}

let operationsOfB = 0;

function askAsB({ url, pid }: GatewayProcess, operations: number): Promise<Asked[]> {
  return Promise.all(
    Array.from({ length: operations }, async (_, index): Promise<Asked> => {
      operationsOfB += 1;
      const prefix = `b${operationsOfB}`;
      await sleep(index * B_PERIOD_MS);
      const sent = threadTime(pid);
      const began = performance.now();
      const { errors } = await ask(url, reads(B_READS, prefix), { token: 'b' });
      return {
        isGood: errors === undefined,
        ms: performance.now() - began,
        ids: Array.from({ length: B_READS }, (_, i) => `${prefix}-${i}`),
        sent,
        answered: threadTime(pid),
      };
    }),
  );
}

/** The time within which this share of the operations was answered. Unit: percent; milliseconds. */
function percentile(all: readonly number[], percent: number): string {
  const times = [...all].sort((one, other) => one - other);
  return (times[Math.ceil((times.length * percent) / 100) - 1] ?? Number.NaN).toFixed();
}
