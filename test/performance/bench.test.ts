import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Condition, Figures, Slices } from '../../bench/performance/measure.ts';
import { parseOptions } from '../../bench/performance/options.ts';
import { geometricMean, median, quantile } from '../../bench/performance/statistics.ts';
import { toTable } from '../../bench/performance/tables.ts';
import { floor, gateway } from '../../bench/performance/targets.ts';
import { findWorkload, WORKLOADS } from '../../bench/performance/workloads.ts';

test('median, quantiles and geometric mean', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(quantile([1, 2, 3, 4, 5], 1)).toBe(5);
  expect(geometricMean([1, 4, 16])).toBeCloseTo(4);
});

test('the table has medians, spread, multiples of the floor and their geometric mean', () => {
  const at = (name: string, share: number | null): Condition => ({
    workload: findWorkload(name),
    acceptEncoding: '',
    share,
  });
  const conditions = [at('W1', null), at('W1', 0.5), at('W2', 0.5), at('mix', 0.5)];
  const toFigures = (target: Figures['target'], factors: readonly number[]): Figures => ({
    target,
    memory: [100],
    slices: new Map(
      conditions.map((condition, index): [Condition, Slices] => {
        const cpu = [1, 2, 9].map((ms) => ms * (factors[index] ?? 1));
        return [condition, { cpu, perSecond: [], latencies: [1, 3], refused: 0 }];
      }),
    ),
  });
  const rates = new Map(conditions.slice(1).map((condition) => [condition, 20]));

  const rows = toTable({
    conditions,
    rates,
    figures: [toFigures(gateway(), [3, 2, 8, 5]), toFigures(floor, [])],
    costs: { service: 0, load: 0 },
    tookMs: 0,
  }).split('\n');

  expect(rows[0]).toBe(`|  | this gateway | ${floor.name} |`);
  expect(rows[2]).toMatch(
    /geometric mean of W1, W2, at equal.*\| \*\*4.00\*\* \| \*\*1.00\*\* \|/,
  );
  expect(rows.slice(3, 5)).toEqual([
    '| W1, 50 %: 20 a second | 4.00 (2.00 to 18.0), **2.00** | 2.00 (1.00 to 9.00), **1.00** |',
    '| W2, 50 %: 20 a second | 16.0 (8.00 to 72.0), **8.00** | 2.00 (1.00 to 9.00), **1.00** |',
  ]);
  expect(rows).toContain(
    '| latency of mix, 50 %: 20 a second | 2.00, 2.98 | 2.00, 2.98 |',
  );
});

test('options narrow a run', () => {
  const narrow = parseOptions('--only W1,mix --root a --root b'.split(' '));

  expect(narrow.workloads.map(({ name }) => name)).toEqual(['W1', 'mix']);
  expect(narrow.roots).toEqual(['a', 'b']);
  expect(narrow.acceptEncodings).toEqual(['', 'gzip, deflate, br']);
  expect(parseOptions(['--accept-encoding', '']).acceptEncodings).toEqual(['']);
  expect(parseOptions(['--workers', '1,2']).workers).toEqual([1, 2]);
});

test.each([
  [['--only', 'W9'], 'no workload "W9"'],
  [['--workers', '1,x'], '"x" is no number'],
])('%j is refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

const DOCUMENT = readFileSync('docs/performance.md', 'utf8');

test('the docs list the workloads and the calls that they need', () => {
  const listed = [...DOCUMENT.matchAll(/^\| (W\d) \| (.*) \| (\d+) \|$/gm)];

  expect(listed.map(([, name, title, calls]) => [name, title, Number(calls)])).toEqual(
    WORKLOADS.filter(({ name }) => name !== 'mix').map(({ name, title, operations }) => [
      name,
      title,
      operations[0]?.calls,
    ]),
  );
});

test('the commands that the docs name have options that exist', () => {
  const commands = [...DOCUMENT.matchAll(/^npm run bench -- (.*?)(?: {3}|$)/gm)];

  expect(commands.length).toBeGreaterThan(5);
  for (const [, words = ''] of commands)
    expect(() => parseOptions(words.split(' '))).not.toThrow();
});
