import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { endOf, startOf } from '../../bench/performance/docs.ts';
import { parseOptions } from '../../bench/performance/options.ts';
import { geometricMean } from '../../bench/performance/statistics.ts';
import { floor, gateway, peers } from '../../bench/performance/targets.ts';
import { WORKLOADS } from '../../bench/performance/workloads.ts';

const DOCUMENT = readFileSync('docs/performance.md', 'utf8');
const NAMES = WORKLOADS.map(({ name }) => name);
const TARGETS = [gateway(), floor, ...peers].map(({ name }) => name);
const [GATEWAY = '', FLOOR = ''] = TARGETS;

/** What a run wrote into a section. */
function section(name: string): string {
  const [, after = ''] = DOCUMENT.split(startOf(name));
  const [content = ''] = after.split(endOf(name));
  return content;
}

/** The cells below a title: by the name of the row, then of the column. */
function table(text: string, title: string): Map<string, Map<string, string>> {
  const [, after = ''] = text.split(`**${title}`);
  const [, lines = ''] = after.split(/\*\*\n\n/, 2);
  const [head = [], , ...rows] = (lines.split('\n\n')[0] ?? '')
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return new Map(
    rows.map(([name = '', ...cells]) => [
      name,
      new Map(cells.map((cell, index) => [head[index + 1] ?? '', cell])),
    ]),
  );
}

const comparison = section('comparison');
const medians = table(comparison, 'CPU for one operation');
const ratios = table(comparison, 'CPU, times the floor');
const cpu = (target: string, workload: string) =>
  Number(medians.get(target)?.get(workload));

test('it lists the workloads and the calls that they need', () => {
  const listed = [...DOCUMENT.matchAll(/^\| (W\d) \| .* \| (\d+) \|$/gm)];

  expect(listed.map(([, name, calls]) => [name, Number(calls)])).toEqual(
    WORKLOADS.map(({ name, calls }) => [name, calls]),
  );
});

test.each(TARGETS)('it has a figure of every workload for %s', (target) => {
  expect(NAMES.filter((name) => !(cpu(target, name) > 0))).toEqual([]);
});

test.each([
  ['CPU for one operation, median', 'CPU, times the floor'],
  ['CPU for one operation at the same rate', 'CPU at the same rate, times'],
])('the ratios to the floor are those of the medians: %s', (ofMedians, ofRatios) => {
  const rowOf = (title: string, target: string) =>
    [...(table(comparison, title).get(target)?.values() ?? [])].map(Number);
  const floors = rowOf(ofMedians, FLOOR);

  for (const target of TARGETS) {
    const expected = rowOf(ofMedians, target).map((cell, at) => cell / (floors[at] ?? 0));
    const printed = rowOf(ofRatios, target);
    expect(printed).toHaveLength(NAMES.length + 1);
    // All are printed with three digits.
    for (const [at, ratio] of [...expected, geometricMean(expected.slice(1))].entries()) {
      expect((printed[at] ?? 0) / ratio).toBeCloseTo(1, 1.5);
    }
  }
});

test('each median lies between the lowest and the highest', () => {
  const spread = table(comparison, 'CPU, lowest to highest');
  const outside = TARGETS.flatMap((target) =>
    NAMES.filter((name) => {
      const [low = NaN, high = NaN] =
        spread.get(target)?.get(name)?.split(' to ').map(Number) ?? [];
      return !(low <= cpu(target, name) && cpu(target, name) <= high);
    }),
  );

  expect(outside).toEqual([]);
});

test('the gateway made exactly the calls of each workload', () => {
  const calls = table(comparison, 'REST calls').get(GATEWAY);

  expect(NAMES.map((name) => Number(calls?.get(name)))).toEqual(
    WORKLOADS.map((workload) => workload.calls),
  );
});

test('it has memory and latency of every target', () => {
  const memory = table(comparison, 'Memory');

  for (const target of TARGETS) {
    const cells = [...(memory.get(target)?.values() ?? [])];
    expect(cells).toHaveLength(3);
    expect(
      cells
        .join(', ')
        .split(', ')
        .map(Number)
        .every((value) => value > 0),
    ).toBe(true);
  }
});

test('the chart shows the ratios of the table, by bars of their length', () => {
  const chart = readFileSync('docs/performance.svg', 'utf8');
  const bars = [
    ...chart.matchAll(/class="bar".*? width="([\d.]+)".*\n<text.*?>([\d.]+)</g),
  ];
  const lengths = bars.map(([, width, value]) => Number(width) / Number(value));

  expect(bars.map(([, , value]) => value)).toEqual(
    NAMES.slice(1).flatMap((name) =>
      TARGETS.map((target) => ratios.get(target)?.get(name)),
    ),
  );
  // Both are rounded.
  expect(Math.max(...lengths) / Math.min(...lengths)).toBeLessThan(1.01);
});

test('it says where the time of the gateway goes', () => {
  const rooms = [...table(section('profile'), 'Self time').values()];
  const sum = (workload: string) =>
    rooms.reduce((total, row) => total + Number.parseFloat(row.get(workload) ?? ''), 0);

  expect(rooms).toHaveLength(12);
  for (const workload of ['W1', 'W4']) {
    expect(sum(workload)).toBeGreaterThan(80);
    expect(sum(workload)).toBeLessThanOrEqual(100.6);
  }
});

test('growth has latencies and walks', () => {
  const growth = section('growth');
  const bursts = [...table(growth, 'Latency of operations').values()];
  const walks = [...table(growth, 'A walk').values()];

  expect(bursts).toHaveLength(8);
  expect(bursts.every((row) => /^\d+, \d+/.test(row.get('1000 at once') ?? ''))).toBe(
    true,
  );
  expect(walks.map((row) => row.get('10 messages')?.split(', ')[0])).toEqual([
    '1',
    '1',
    '1',
    '1',
  ]);
});

test.each([
  ['growth-at-once', 'Latency of operations', /^W2/, 0],
  ['growth-walks', 'A walk', /./, 1],
])('the chart %s shows the values of its table', (name, title, rows, part) => {
  const chart = readFileSync(`docs/${name}.svg`, 'utf8');
  const numbersOf = (pattern: RegExp) =>
    [...chart.matchAll(pattern)].map(([, value]) => Number(value));
  const values = [...table(section('growth'), title)]
    .filter(([row]) => rows.test(row))
    .flatMap(([, cells]) => [...cells.values()].slice(-4))
    .map((cell) => Number(cell.split(', ')[part]));
  const [bottom = NaN, above = NaN] = numbersOf(/class="axis".*? d="M\d+ ([\d.]+)H/g);
  const lowest = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const heights = numbersOf(/<circle .*? cy="([\d.]+)"/g);

  expect(heights).toHaveLength(16);
  for (const [index, value] of values.entries()) {
    const expected = bottom - Math.log10(value / lowest) * (bottom - above);
    expect(Math.abs((heights[index] ?? NaN) - expected)).toBeLessThan(1);
  }
});

test('the commands it names have options that exist', () => {
  const commands = [...DOCUMENT.matchAll(/^npm run bench -- (.*?)(?: {3}|$)/gm)];

  expect(commands.length).toBeGreaterThan(5);
  for (const [, words = ''] of commands) {
    expect(() => parseOptions(words.split(' '))).not.toThrow();
  }
});
