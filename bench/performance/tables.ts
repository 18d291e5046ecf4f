/** The tables of a measurement, as text with its columns aligned or as Markdown, and its chart. */
import { barChart } from './chart.ts';
import type { Figures, Measurement } from './measure.ts';
import { geometricMean, median } from './statistics.ts';
import { floor } from './targets.ts';
import type { Workload } from './workloads.ts';

export interface Table {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** Three digits that count: 4.73, 0.447, 0.0290. Above that all of them: 1980. Nothing for what was not measured. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '';
  return value >= 1000 ? value.toFixed(0) : value.toPrecision(3);
}

const rangeOf = (values: readonly number[]): string =>
  `${digits(Math.min(...values))} to ${digits(Math.max(...values))}`;

const medianOf = (figures: Figures, which: 'cpu' | 'evenCpu', { name }: Workload) =>
  median(figures[which].get(name) ?? []);

/** W0 reaches no service: the others show what a gateway costs. */
const isCalling = ({ calls }: Workload): boolean => calls !== 0;

/** A row for each target, a column for each workload. */
function toGrid(
  { workloads, figures }: Measurement,
  title: string,
  cell: (one: Figures, workload: Workload) => string,
  toHead = ({ name }: Workload): string => name,
): Table {
  const rows = figures.map((one) => [
    one.target.name,
    ...workloads.map((workload) => cell(one, workload)),
  ]);
  return { title, rows: [['', ...workloads.map(toHead)], ...rows] };
}

const toRatio = (
  one: Figures,
  base: Figures,
  workload: Workload,
  which: 'cpu' | 'evenCpu' = 'cpu',
): number => medianOf(one, which, workload) / medianOf(base, which, workload);

/** Of the workloads that reach the service. */
function meanRatio(
  { workloads }: Measurement,
  one: Figures,
  base: Figures,
  which: 'cpu' | 'evenCpu' = 'cpu',
): number {
  const calling = workloads.filter(isCalling);
  return geometricMean(calling.map((workload) => toRatio(one, base, workload, which)));
}

const floorOf = ({ figures }: Measurement): Figures | undefined =>
  figures.find(({ target }) => target === floor);

/** The figures as multiples of the floor's, and their mean; none if the floor was not measured. */
function toFloorTables(
  measurement: Measurement,
  title: string,
  which: 'cpu' | 'evenCpu',
): Table[] {
  const base = floorOf(measurement);
  if (base === undefined) return [];
  const { rows } = toGrid(measurement, title, (one, workload) =>
    toRatio(one, base, workload, which).toFixed(2),
  );
  const calling = measurement.workloads.filter(isCalling);
  if (calling.length < 2) return [{ title, rows }];
  const means = measurement.figures.map((one) =>
    meanRatio(measurement, one, base, which).toFixed(2),
  );
  const last = [`mean ${calling[0]?.name} to ${calling.at(-1)?.name}`, ...means];
  return [{ title, rows: rows.map((row, index) => [...row, last[index] ?? '']) }];
}

export function toTables(measurement: Measurement): Table[] {
  const grid = toGrid.bind(null, measurement);
  const tables = [
    grid('CPU for one operation, median (ms)', (one, workload) =>
      digits(medianOf(one, 'cpu', workload)),
    ),
    ...toFloorTables(measurement, 'CPU, times the floor', 'cpu'),
    grid('CPU, lowest to highest (ms)', ({ cpu }, { name }) =>
      rangeOf(cpu.get(name) ?? []),
    ),
    grid('REST calls for one operation', ({ calls }, { name }) => `${calls.get(name)}`),
  ];
  if (measurement.figures.every(({ evenCpu }) => evenCpu.size > 0)) {
    tables.push(
      grid(
        'CPU for one operation at the same rate for all, median (ms)',
        (one, workload) => digits(medianOf(one, 'evenCpu', workload)),
        ({ name, evenRate }) => `${name} at ${evenRate} a second`,
      ),
      ...toFloorTables(measurement, 'CPU at the same rate, times the floor', 'evenCpu'),
    );
  }
  return [...tables, toMemoryTable(measurement)];
}

function toMemoryTable({ workloads, figures }: Measurement): Table {
  const timed = workloads.filter(({ name }) => figures[0]?.latency.has(name));
  const latency = ({ latency }: Figures, { name }: Workload) => {
    const { median: middle, p99 } = latency.get(name) ?? { median: NaN, p99: NaN };
    return `${digits(middle)}, ${digits(p99)}`;
  };
  const title = 'Memory at most (MB)';
  return {
    title:
      timed.length === 0 ? title : `${title}; latency, median and 99th percentile (ms)`,
    rows: [
      ['', 'memory', ...timed.map(({ name, rate }) => `${name} at ${rate} a second`)],
      ...figures.map((one) => [
        one.target.name,
        median(one.memory).toFixed(0),
        ...timed.map((workload) => latency(one, workload)),
      ]),
    ],
  };
}

/** What more workers bring. */
export function toWorkerTables(measurement: Measurement): Table[] {
  const grid = (title: string, which: 'cpu' | 'perSecond') =>
    toGrid(measurement, `${title}, median (lowest to highest)`, (one, { name }) => {
      const values = one[which].get(name) ?? [];
      return `${digits(median(values))} (${rangeOf(values)})`;
    });
  return [
    grid('Operations per second', 'perSecond'),
    grid('CPU for one operation, all processes of the gateway, in ms', 'cpu'),
    toMemoryTable(measurement),
  ];
}

/** The CPU of all targets as multiples of the floor's. */
export function toRatioChart(measurement: Measurement): string {
  const base = floorOf(measurement);
  if (base === undefined) throw new Error('there is no floor to compare with');
  const shown = measurement.workloads.filter(isCalling);
  return barChart({
    title: 'CPU for one operation, times the hand-written endpoint',
    groups: shown.map(({ name }) => name),
    series: measurement.figures.map((one) => ({
      name: one.target.name,
      values: shown.map((workload) => toRatio(one, base, workload)),
    })),
  });
}

/** The table for a terminal: the first column to the left, the others to the right. */
export function toText({ title, rows }: Table): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    ),
  );
  return [title, ...lines.map((cells) => `  ${cells.join('  ')}`)].join('\n');
}

export function toMarkdown({ title, rows }: Table): string {
  const [head = [], ...others] = rows;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|---|${'---:|'.repeat(head.length - 1)}`;
  return `**${title}**\n\n${[line(head), rule, ...others.map(line)].join('\n')}\n`;
}
