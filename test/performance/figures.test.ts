import { expect, test } from 'vitest';
import { barChart, lineChart } from '../../bench/performance/chart.ts';
import { endOf, replaceSection, startOf } from '../../bench/performance/docs.ts';
import type { Figures } from '../../bench/performance/measure.ts';
import { parseOptions } from '../../bench/performance/options.ts';
import { describe, toRoomTable } from '../../bench/performance/profile.ts';
import { roomOf, rooms, selfTimes } from '../../bench/performance/rooms.ts';
import { geometricMean, median, quantile } from '../../bench/performance/statistics.ts';
import {
  digits,
  meanRatio,
  toMarkdown,
  toTables,
  toWorkerTables,
} from '../../bench/performance/tables.ts';
import { floor, gateway } from '../../bench/performance/targets.ts';
import { findWorkload } from '../../bench/performance/workloads.ts';

test('median, quantiles and geometric mean', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(quantile([1, 2, 3, 4, 5], 1)).toBe(5);
  expect(geometricMean([1, 4, 16])).toBeCloseTo(4);
});

test.each([
  [1979.6, '1980'],
  [4.728, '4.73'],
  [0.02904, '0.0290'],
  [Number.NaN, ''],
])('%d is printed as "%s"', (value, text) => {
  expect(digits(value)).toBe(text);
});

const WORKLOADS = [findWorkload('W0'), findWorkload('W1'), findWorkload('W4')];

const figures = (
  target: Figures['target'],
  cpu: Record<string, number[]>,
  calls: Record<string, number>,
): Figures => ({
  target,
  cpu: new Map(Object.entries(cpu)),
  evenCpu: new Map(Object.entries(cpu).map(([name, [first = 0]]) => [name, [first * 2]])),
  perSecond: new Map(Object.entries(cpu)),
  calls: new Map(Object.entries(calls)),
  memory: [100, 120],
  latency: new Map([['W4', { median: 1.5, p99: 4 }]]),
});
const CALLS = { W0: 0, W1: 11, W4: 1 };
const measurement = {
  workloads: WORKLOADS,
  figures: [
    figures(gateway(), { W0: [1], W1: [3, 5, 4], W4: [0.9] }, CALLS),
    figures(floor, { W0: [0.01], W1: [2, 2, 2], W4: [0.1] }, CALLS),
  ],
  costs: { service: 0.01, load: 0.02 },
  tookMs: 1000,
};

test('the tables have medians, ratios to the floor and their geometric mean without W0', () => {
  const tables = toTables(measurement);
  const row = (title: string) => tables.find((table) => table.title === title)?.rows[1];

  expect(row('CPU for one operation, median (ms)')).toEqual([
    'this gateway',
    '1.00',
    '4.00',
    '0.900',
  ]);
  expect(row('CPU, times the floor')).toEqual([
    'this gateway',
    '100.00',
    '2.00',
    '9.00',
    '4.24',
  ]);
  expect(row('CPU, lowest to highest (ms)')?.[2]).toBe('3.00 to 5.00');
  expect(row('REST calls for one operation')?.slice(1)).toEqual(['0', '11', '1']);
  expect(row('CPU for one operation at the same rate for all, median (ms)')).toEqual([
    'this gateway',
    '2.00',
    '6.00',
    '1.80',
  ]);
  expect(row('CPU at the same rate, times the floor')).toEqual([
    'this gateway',
    '100.00',
    '1.50',
    '9.00',
    '3.67',
  ]);
  expect(tables.at(-1)?.rows[1]).toEqual(['this gateway', '110', '1.50, 4.00']);
});

test('the tables of workers have the operations per second with their range', () => {
  const [perSecond, cpu, memory] = toWorkerTables(measurement);

  expect(perSecond?.rows[1]?.[2]).toBe('4.00 (3.00 to 5.00)');
  expect(cpu?.rows[1]?.[2]).toBe('4.00 (3.00 to 5.00)');
  expect(memory?.rows[1]?.[1]).toBe('110');
});

test('the mean ratio compares any two', () => {
  const [one, other] = measurement.figures;
  if (!one || !other) throw new Error('two figures expected');

  expect(meanRatio(measurement, other, one)).toBeCloseTo(1 / Math.sqrt(18));
});

test('a table becomes Markdown', () => {
  const table = {
    title: 'T',
    rows: [
      ['', 'W1'],
      ['floor', '1.00'],
    ],
  };

  expect(toMarkdown(table)).toBe('**T**\n\n|  | W1 |\n|---|---:|\n| floor | 1.00 |\n');
});

test('a bar is as long as its value', () => {
  const chart = barChart({
    title: 'a < b',
    groups: ['W1', 'W2'],
    series: [
      { name: 'floor', values: [1, 1] },
      { name: 'other', values: [2, 4] },
    ],
  });
  const widths = [...chart.matchAll(/class="bar".*?width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );

  expect(widths).toHaveLength(4);
  expect(widths.map((width) => Math.round((width / (widths[3] ?? 0)) * 100))).toEqual([
    25, 50, 25, 100,
  ]);
  expect(chart).toContain('a &lt; b');
});

test('a point of ten times the value lies a tenth of two decades away', () => {
  const chart = lineChart({
    title: 'T',
    xTitle: 'x',
    yTitle: 'y',
    x: [10, 100, 1000],
    series: [{ name: 'one', values: [1, 10, 100] }],
  });
  const points = [...chart.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)].map(
    ([, x, y]) => [Number(x), Number(y)] as const,
  );
  const [first, second, third] = points;

  expect(points).toHaveLength(3);
  expect((first?.[0] ?? 0) + (third?.[0] ?? 0)).toBeCloseTo(2 * (second?.[0] ?? 0), 0);
  expect((first?.[1] ?? 0) + (third?.[1] ?? 0)).toBeCloseTo(2 * (second?.[1] ?? 0), 0);
});

test('a section of a document is replaced, and the rest is kept', () => {
  const before = `# Head\n\n${startOf('one')}\nold\n${endOf('one')}\n\nrest\n`;

  const after = replaceSection(before, 'one', 'new\n');

  expect(after).toBe(`# Head\n\n${startOf('one')}\n\nnew\n\n${endOf('one')}\n\nrest\n`);
  expect(replaceSection(after, 'one', 'new')).toBe(after);
  expect(() => replaceSection(before, 'two', 'new')).toThrow('no section "two"');
});

test.each([
  ['send', 'file:///house/src/rest/send.ts', 'src/rest'],
  ['send', 'file:///house/dist/rest/send.js', 'src/rest'],
  ['main', 'file:///house/src/main.ts', 'top of src/'],
  ['execute', 'file:///house/node_modules/graphql/execution/execute.js', 'graphql'],
  [
    'run',
    'file:///a/node_modules/x/node_modules/@apollo/server/dist/src/run.js',
    '@apollo/server',
  ],
  ['emit', 'node:events', 'Node'],
  ['parse', '', 'JavaScript built-ins'],
  ['(garbage collector)', '', 'garbage collector'],
])('%s of "%s" belongs to %s', (name, url, room) => {
  expect(roomOf(name, url)).toBe(room);
});

const callFrame = (functionName: string, url: string) => ({
  functionName,
  url,
  lineNumber: 9,
});
const PROFILE = {
  nodes: [
    { id: 1, callFrame: callFrame('(idle)', '') },
    { id: 2, callFrame: callFrame('send', 'file:///house/src/rest/send.ts') },
    { id: 3, callFrame: callFrame('get', 'file:///house/src/rest/get.ts') },
    { id: 4, callFrame: callFrame('emit', 'node:events') },
    { id: 5, callFrame: callFrame('send', 'file:///house/src/rest/send.ts') },
  ],
  samples: [2, 1, 3, 5, 4],
  timeDeltas: [0, 100, 900, 50, 200],
};

test('self times add up by function and by room, without idle time', () => {
  const functions = selfTimes(PROFILE);

  expect(functions.map(({ name, place, us }) => [name, place, us])).toEqual([
    ['send', 'send.ts:10', 300],
    ['get', 'get.ts:10', 50],
    ['emit', 'node:events:10', 0],
  ]);
  expect(rooms(functions)[0]).toEqual({ room: 'src/rest', us: 350 });
  expect(describe(PROFILE, 10)).toMatch(/85\.7 % +30\.0 µs +src\/rest +send send\.ts:10/);
});

test('the table of rooms has the share of each in every profile', () => {
  const workload = findWorkload('W1');

  const { rows } = toRoomTable([
    { workload, recorded: PROFILE, operations: 10, cpuMs: 1 },
    { workload, recorded: { ...PROFILE, samples: [4, 4] }, operations: 10, cpuMs: 1 },
  ]);

  expect(rows).toEqual([
    ['', 'W1', 'W1'],
    ['src/rest', '100.0 %', '0.0 %'],
    ['Node', '0.0 %', '100.0 %'],
  ]);
});

test('options narrow a run, and only a whole run belongs in the docs', () => {
  const narrow = parseOptions([
    '--quick',
    '--only',
    'W1,W4',
    '--root',
    'a',
    '--root',
    'b',
  ]);

  expect(narrow.workloads.map(({ name }) => name)).toEqual(['W1', 'W4']);
  expect(narrow.roots).toEqual(['a', 'b']);
  expect(narrow.isWhole).toBe(false);
  expect(parseOptions([]).isWhole).toBe(true);
  expect(parseOptions(['--growth']).isWhole).toBe(true);
  expect(parseOptions(['--workers', '1,2'])).toMatchObject({
    workers: [1, 2],
    isWhole: true,
  });
});

test.each([
  [['--only', 'W9'], 'no workload "W9"'],
  [['--workers', '1,x'], '"x" is no number'],
])('%j is refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});
