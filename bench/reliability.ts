/**
 * Measures a gateway in its own process: under faults, beside a caller whom the service treats badly, and when it stops. Prints the rows of
 * docs/reliability.md; takes about six minutes. Arguments select parts:
 * `npm run reliability faults memory fairness drain`. Linux only, because it reads memory from /proc.
 */
import { DOWN } from '../test/trust/faults/faults.ts';
import { type DrainResult, measureDrain } from './drain.ts';
import { measureFairness } from './fairness.ts';
import { measureFaults, measureMemory, type Row } from './faults.ts';

const DRAINS = 10;

async function measureDrains(): Promise<Row[]> {
  const results: DrainResult[] = [];
  while (results.length < DRAINS) results.push(await measureDrain());
  const sum = (name: 'answered' | 'lost' | 'cutOff' | 'neverAccepted') =>
    String(results.reduce((total, result) => total + result[name], 0));
  const longest = Math.max(...results.map(({ tookMs }) => tookMs));
  const statuses = new Set(results.map(({ status }) => status));
  const rows: Row[] = [
    ['operations answered', sum('answered')],
    ['operations lost after they began', sum('lost')],
    ['operations cut off on a kept connection', sum('cutOff')],
    ['operations on connections never accepted', sum('neverAccepted')],
    ['exit statuses, longest time to exit', `${[...statuses]}, ${longest.toFixed()} ms`],
  ];
  return rows.map(([what, figure]) => [`${DRAINS} drains under load: ${what}`, figure]);
}

const PARTS: Record<string, () => Promise<Row[]>> = {
  faults: async () => [
    ...(await measureFaults('one call in ten fails', { share: 0.1 })),
    ...(await measureFaults('nine calls in ten fail', { share: 0.9 })),
    ...(await measureFaults('the service is down', { share: 1, kinds: DOWN })),
  ],
  memory: measureMemory,
  fairness: measureFairness,
  drain: measureDrains,
};

const selected = process.argv.slice(2);
const unknown = selected.find((part) => !Object.hasOwn(PARTS, part));
if (unknown !== undefined) {
  const parts = Object.keys(PARTS).join(', ');
  process.stderr.write(`there is no part "${unknown}"; the parts are ${parts}\n`);
  process.exit(1);
}
process.stdout.write('| what | measured | reproduced by |\n|---|---|---|\n');
for (const [part, measure] of Object.entries(PARTS)) {
  if (selected.length > 0 && !selected.includes(part)) continue;
  for (const [what, figure] of await measure()) {
    process.stdout.write(`| ${what} | ${figure} | \`npm run reliability ${part}\` |\n`);
  }
}
