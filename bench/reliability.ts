/**
 * What the gateway, as a process of its own, does under faults, beside other callers, and when it is told to end. Prints
 * the rows of docs/reliability.md; takes about two minutes. Names of parts as arguments run these alone:
 * `npm run reliability faults memory isolation drain`. Linux only: memory is read from /proc.
 */
import { visitAll } from '../test/trust/isolation/callers.ts';
import { startStampingService } from '../test/trust/isolation/stamping-service.ts';
import { measureDrain } from './drain.ts';
import { DOWN, measureFaults, measureMemory, type Row, SEED } from './faults.ts';
import { startGatewayProcess } from './gateway-process.ts';

const DRAINS = 10;

async function measureIsolation(): Promise<Row[]> {
  await using service = await startStampingService(SEED);
  await using gateway = await startGatewayProcess(service.url);
  const visits = { url: gateway.url, callers: 200, rounds: 3, seed: SEED };
  const answers = await visitAll(visits);
  const leaks = answers.flatMap((answer) => answer.leaks).length;
  const failed = answers.filter((answer) => answer.failed).length;
  const held = `${answers.length}, ${failed} with errors, ${service.spoilt()} faults`;
  return [
    ['200 callers at once: operations held, each answer judged', held],
    ['200 callers at once: answers leaked', String(leaks)],
  ];
}

async function measureDrains(): Promise<Row[]> {
  const results: Awaited<ReturnType<typeof measureDrain>>[] = [];
  while (results.length < DRAINS) results.push(await measureDrain());
  const sum = (name: 'answered' | 'lost' | 'cutOff' | 'neverAccepted') =>
    results.reduce((total, result) => total + result[name], 0);
  const longest = Math.max(...results.map(({ tookMs }) => tookMs));
  const statuses = new Set(results.map(({ status }) => status));
  const name = `${DRAINS} drains under load`;
  return [
    [`${name}: operations answered`, String(sum('answered'))],
    [`${name}: operations lost that had begun`, String(sum('lost'))],
    [`${name}: operations cut off on a kept connection`, String(sum('cutOff'))],
    [`${name}: sent on connections never taken up`, String(sum('neverAccepted'))],
    [`${name}: exit statuses, longest end`, `${[...statuses]}, ${longest.toFixed()} ms`],
  ];
}

const PARTS: Record<string, () => Promise<Row[]>> = {
  faults: async () => [
    ...(await measureFaults('one call in ten fails', { share: 0.1 })),
    ...(await measureFaults('nine calls in ten fail', { share: 0.9 })),
    ...(await measureFaults('the service is down', { share: 1, kinds: DOWN })),
  ],
  memory: measureMemory,
  isolation: measureIsolation,
  drain: measureDrains,
};

const wanted = process.argv.slice(2);
process.stdout.write('| what | measured | reproduced by |\n|---|---|---|\n');
for (const [part, measure] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(part)) continue;
  for (const [what, figure] of await measure()) {
    process.stdout.write(`| ${what} | ${figure} | \`npm run reliability ${part}\` |\n`);
  }
}
