/**
 * Measures a gateway in its own process: under faults, beside a caller whom the service treats badly, and beside floods. Prints the rows of
 * docs/reliability.md; takes about nine minutes. Arguments select parts:
 * `npm run reliability faults memory fairness floods`. Linux only, because it reads memory from /proc.
 */
import { DOWN } from '../test/trust/faults/faults.ts';
import { measureFairness } from './fairness.ts';
import { measureFaults, measureMemory, type Row } from './faults.ts';
import { measureFloods } from './floods.ts';

const PARTS: Record<string, () => Promise<Row[]>> = {
  faults: async () => [
    ...(await measureFaults('one call in ten fails', { share: 0.1 })),
    ...(await measureFaults('nine calls in ten fail', { share: 0.9 })),
    ...(await measureFaults('the service is down', { share: 1, kinds: DOWN })),
  ],
  memory: measureMemory,
  fairness: measureFairness,
  floods: measureFloods,
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
