/**
 * Measures a gateway in its own process: under faults, beside a caller whom the service treats badly, and beside floods. Prints the tables of
 * docs/reliability.md; takes about ten minutes. Arguments select parts:
 * `npm run reliability faults sends memory fairness floods`. Linux only, because it reads memory from /proc.
 */
import { DOWN } from '../test/trust/faults/faults.ts';
import { measureFairness } from './fairness.ts';
import { measureFaults, measureMemory, type Row } from './faults.ts';
import { measureFloods } from './floods.ts';
import { measureSends } from './sends.ts';

interface Part {
  /** The heads of its columns. */
  readonly head: Row;
  measure(): Promise<readonly Row[]>;
}

/** Answers of B, and their median and 99th percentile. */
const BESIDE = ['answers of B', 'alone', 'beside A'] as const;

const PARTS: Record<string, Part> = {
  faults: {
    head: ['', 'one call in ten fails', 'nine calls in ten fail', 'the service is down'],
    async measure() {
      const few = await measureFaults({ share: 0.1 });
      const many = await measureFaults({ share: 0.9 });
      const down = await measureFaults({ share: 1, kinds: DOWN });
      return few.map((row, at) => [
        ...row,
        ...[many, down].flatMap((rows) => rows[at]?.slice(1) ?? []),
      ]);
    },
  },
  sends: {
    head: [
      'what the gateway told the client',
      'messages',
      'stored once',
      'stored twice',
      'not stored',
    ],
    measure: measureSends,
  },
  memory: { head: ['', 'nine calls in ten fail'], measure: measureMemory },
  fairness: { head: ['the service, for A', ...BESIDE], measure: measureFairness },
  floods: { head: ['A sends', ...BESIDE], measure: measureFloods },
};

const selected = process.argv.slice(2);
const unknown = selected.find((part) => !Object.hasOwn(PARTS, part));
if (unknown !== undefined) {
  const parts = Object.keys(PARTS).join(', ');
  process.stderr.write(`there is no part "${unknown}"; the parts are ${parts}\n`);
  process.exit(1);
}
const print = (cells: readonly string[]) =>
  process.stdout.write(`| ${cells.join(' | ')} |\n`);

for (const [part, { head, measure }] of Object.entries(PARTS)) {
  if (selected.length > 0 && !selected.includes(part)) continue;
  process.stdout.write(`\n\`npm run reliability ${part}\`:\n\n`);
  print(head);
  print(head.map(() => '---'));
  for (const row of await measure()) print(row);
}
