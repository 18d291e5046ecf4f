import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../src/embedded/sample/random.ts';
import { startEmbeddedService } from '../src/embedded/service.ts';
import type { Fault } from '../test/trust/faults/faults.ts';
import { startFaultyService, type Weather } from '../test/trust/faults/faulty-service.ts';
import { mixOperations } from '../test/trust/faults/mixed-operations.ts';
import {
  denied,
  doubled,
  longestOf,
  readKnown,
  storm,
} from '../test/trust/faults/storm.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';

/** A line of the table. */
export type Row = readonly [what: string, figure: string];

export const SEED = 1906;
const OPERATIONS = 3000;
const CLIENTS = 30;
const DEADLINE_MS = 1000;
const SETTINGS = {
  REST_TIMEOUT_MS: '600',
  OPERATION_TIMEOUT_MS: String(DEADLINE_MS),
  MAX_RESPONSE_BYTES: '1048576',
};

/** A service that is down, in every way that counts for the circuit. */
export const DOWN: [Fault, ...Fault[]] = ['silent', 'reset', '500', '503'];

/** The whole mix of operations through a service of whose calls this share fails; `kinds` left out: in every way. */
export async function measureFaults(
  name: string,
  weather: Omit<Weather, 'seed'>,
): Promise<Row[]> {
  await using service = await startEmbeddedService();
  const token = service.sampleUsers[0]?.token ?? '';
  const known = await readKnown(service.url, token);
  await using faulty = await startFaultyService(service.url, {
    ...weather,
    seed: SEED,
    share: 0,
  });
  await using gateway = await startGatewayProcess(faulty.url, SETTINGS);
  const client = {
    url: gateway.url,
    token,
    next: mixOperations(createRandom(SEED), known),
  };

  await storm({ ...client, operations: OPERATIONS / 4, clients: CLIENTS });
  const before = gateway.memory();
  faulty.share = weather.share;
  const { peak, held } = await withPeak(gateway, () =>
    storm({ ...client, operations: OPERATIONS, clients: CLIENTS }),
  );
  faulty.share = 0;
  const recoveredMs = await measureRecovery(client);
  await sleep(2000);
  const after = gateway.memory();

  const injected = [...faulty.injected.values()].reduce((sum, count) => sum + count, 0);
  const failed = held.filter(({ errors }) => errors.length > 0).length;
  const over = longestOf(held) - DEADLINE_MS;
  return [
    [
      `${name}: operations held, each answer judged`,
      `${held.length}, ${failed} with errors`,
    ],
    [`${name}: faults injected, of ${faulty.injected.size} kinds`, String(injected)],
    [`${name}: writes doubled`, String(doubled(faulty).length)],
    [`${name}: writes carried out and denied`, String(denied(held, faulty).length)],
    [
      `${name}: longest answer over the deadline`,
      over > 0 ? `${over.toFixed()} ms` : 'none',
    ],
    [
      `${name}: memory before, most, two seconds after`,
      [before, peak, after].map(toMegabytes).join(', '),
    ],
    [`${name}: recovery, to 20 good answers in a row`, `${recoveredMs.toFixed()} ms`],
  ];
}

/** Looks at the memory every now and then while something runs. */
async function withPeak<T>(gateway: GatewayProcess, run: () => Promise<T>) {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, gateway.memory());
  }, 50);
  const held = await run();
  clearInterval(timer);
  return { peak, held };
}

const toMegabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed()} MB`;

/** From the end of the faults to the first of twenty operations that all go well. Unit: milliseconds. */
async function measureRecovery(
  client: Omit<Parameters<typeof storm>[0], 'operations' | 'clients'>,
) {
  const began = performance.now();
  for (let good = 0, since = began; performance.now() - began < 30_000; ) {
    const at = performance.now();
    const [one] = await storm({ ...client, operations: 1, clients: 1 });
    if (good === 0) since = at;
    good = one?.errors.length === 0 ? good + 1 : 0;
    if (good === 20) return since - began;
  }
  return Number.POSITIVE_INFINITY;
}

/** Whether memory comes to a halt while nine calls in ten go on failing. */
export async function measureMemory(): Promise<Row[]> {
  await using service = await startEmbeddedService();
  const token = service.sampleUsers[0]?.token ?? '';
  const known = await readKnown(service.url, token);
  await using faulty = await startFaultyService(service.url, { seed: SEED, share: 0.9 });
  await using gateway = await startGatewayProcess(faulty.url, SETTINGS);
  const next = mixOperations(createRandom(SEED), known);
  const seen: number[] = [];
  for (let batch = 0; batch < 5; batch += 1) {
    await storm({ url: gateway.url, token, next, operations: 3000, clients: CLIENTS });
    seen.push(gateway.memory());
  }
  return [
    ['memory after each 3000 operations under faults', seen.map(toMegabytes).join(', ')],
  ];
}
