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

test.each(TARGETS)('the ratios of %s are those of its medians', (target) => {
  const row = ratios.get(target);
  const expected = NAMES.map((name) => cpu(target, name) / cpu(FLOOR, name));
  const mean = geometricMean(expected.slice(1));

  // Both are printed with three digits.
  for (const [index, name] of NAMES.entries()) {
    expect(Number(row?.get(name)) / (expected[index] ?? 0)).toBeCloseTo(1, 1.5);
  }
  expect(Number(row?.get('mean W1 to W5')) / mean).toBeCloseTo(1, 1.5);
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

test('the chart shows the ratios of the table', () => {
  const chart = readFileSync('docs/performance.svg', 'utf8');
  const values = [...chart.matchAll(/class="bar".*\n<text.*?>([\d.]+)</g)];

  expect(values.map(([, value]) => value)).toEqual(
    NAMES.slice(1).flatMap((name) =>
      TARGETS.map((target) => ratios.get(target)?.get(name)),
    ),
  );
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
  for (const name of ['growth-at-once', 'growth-walks']) {
    const chart = readFileSync(`docs/${name}.svg`, 'utf8');
    expect([...chart.matchAll(/<circle /g)]).toHaveLength(4 * 4);
  }
});

test('the commands it names have options that exist', () => {
  const commands = [...DOCUMENT.matchAll(/^npm run bench -- (.*?)(?: {3}|$)/gm)];

  expect(commands.length).toBeGreaterThan(5);
  for (const [, words = ''] of commands) {
    expect(() => parseOptions(words.split(' '))).not.toThrow();
  }
});
