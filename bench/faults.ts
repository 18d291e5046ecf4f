import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../src/embedded/sample/random.ts';
import type { Faults } from '../test/trust/faults/faults.ts';
import { startFaultyService } from '../test/trust/faults/faulty-service.ts';
import {
  deniedWrites,
  duplicateWrites,
  type LoadOptions,
  longestOf,
  type OperationResult,
  runLoad,
} from '../test/trust/faults/load.ts';
import { mixOperations } from '../test/trust/faults/mixed-operations.ts';
import { MEGABYTE, type MeasuredGateway, startGateway } from './process.ts';

/** A row of a table. */
export type Row = readonly [what: string, ...figures: string[]];

const SEED = 1906;
const OPERATIONS = 3000;
const CLIENTS = 30;
const DEADLINE_MS = 1000;
const SETTINGS = {
  REST_TIMEOUT_MS: '600',
  OPERATION_TIMEOUT_MS: String(DEADLINE_MS),
  MAX_RESPONSE_BYTES: '1048576',
};

/** Measures a gateway under mixed operations while a share of the service's calls fails. */
export async function measureFaults({
  share,
  kinds,
}: {
  share: number;
  kinds?: Faults;
}): Promise<Row[]> {
  await using faulty = await startFaultyService({
    seed: SEED,
    share: 0,
    ...(kinds && { kinds }),
  });
  await using gateway = await startGateway(faulty.url, SETTINGS);
  const { token, world } = faulty;
  const next = mixOperations(createRandom(SEED), world);
  const load = { url: gateway.url, token, next, clients: CLIENTS };

  await runLoad({ ...load, operations: OPERATIONS / 4 });
  const before = gateway.memory();
  faulty.share = share;
  const { peak, results } = await withPeak(gateway, () =>
    runLoad({ ...load, operations: OPERATIONS }),
  );
  faulty.share = 0;
  const recoveredMs = await measureRecovery(load);
  await sleep(2000);
  const memory = [before, peak, gateway.memory()].map(toMegabytes).join(', ');

  const injected = [...faulty.injected.values()].reduce((sum, count) => sum + count, 0);
  const failed = results.filter(({ errors }) => errors.length > 0).length;
  const over = longestOf(results) - DEADLINE_MS;
  return [
    ['operations sent, each answer checked', `${results.length}, ${failed} with errors`],
    ['faults injected', `${injected}, of ${faulty.injected.size} kinds`],
    ['writes sent twice', String(duplicateWrites(faulty).length)],
    [
      'writes carried out but reported as failed',
      String(deniedWrites(results, faulty).length),
    ],
    ['longest answer over the deadline', over > 0 ? `${over.toFixed()} ms` : 'none'],
    ['memory before, at most, two seconds after', memory],
    ['recovery, to 20 good answers in a row', `${recoveredMs.toFixed()} ms`],
  ];
}

/** Samples the gateway's memory during a run. */
async function withPeak(gateway: MeasuredGateway, run: () => Promise<OperationResult[]>) {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, gateway.memory());
  }, 50);
  const results = await run();
  clearInterval(timer);
  return { peak, results };
}

const toMegabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed()} MB`;

/** The time until the first of twenty successful operations in a row. Unit: milliseconds. */
async function measureRecovery(load: Omit<LoadOptions, 'operations'>): Promise<number> {
  const began = performance.now();
  for (let good = 0, since = began; performance.now() - began < 30_000; ) {
    const startedAt = performance.now();
    const [result] = await runLoad({ ...load, operations: 1, clients: 1 });
    if (good === 0) since = startedAt;
    good = result?.errors.length === 0 ? good + 1 : 0;
    if (good === 20) return since - began;
  }
  return Number.POSITIVE_INFINITY;
}

/** Shows whether memory stops growing while nine calls in ten fail. */
export async function measureMemory(): Promise<Row[]> {
  await using faulty = await startFaultyService({ seed: SEED, share: 0.9 });
  await using gateway = await startGateway(faulty.url, SETTINGS);
  const { token, world } = faulty;
  const next = mixOperations(createRandom(SEED), world);
  const load = { url: gateway.url, token, next, clients: CLIENTS };
  const memory: number[] = [];
  for (let batch = 0; batch < 5; batch += 1) {
    await runLoad({ ...load, operations: OPERATIONS });
    memory.push(gateway.memory());
  }
  const figure = memory.map(toMegabytes).join(', ');
  return [[`memory after each ${OPERATIONS} operations under faults`, figure]];
}
