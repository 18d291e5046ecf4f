/** The figures as tables: rows of cells, printed aligned or as Markdown. */
import type { Figures, Measurement } from './measure.ts';
import { geometricMean, median } from './statistics.ts';
import { floor } from './targets.ts';
import { WORKLOADS } from './workloads.ts';

export interface Table {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** W0 reaches no service: the mean of the others is what a gateway costs. */
const IN_MEAN = new Set(
  WORKLOADS.filter(({ calls }) => calls !== 0).map(({ name }) => name),
);

const cpuOf = ({ cpu }: Figures, workload: string): number =>
  median(cpu.get(workload) ?? []);

const evenCpuOf = ({ evenCpu }: Figures, workload: string): number =>
  median(evenCpu.get(workload) ?? []);

/** Its CPU over that of another, for one workload. */
export const ratio = (
  one: Figures,
  other: Figures,
  workload: string,
  cpu = cpuOf,
): number => cpu(one, workload) / cpu(other, workload);

/** The geometric mean of the ratios of W1 to W5. */
export function meanRatio(
  { workloads }: Measurement,
  one: Figures,
  other: Figures,
  cpu = cpuOf,
): number {
  const ratios = workloads
    .filter(({ name }) => IN_MEAN.has(name))
    .map(({ name }) => ratio(one, other, name, cpu));
  return geometricMean(ratios);
}

export const floorOf = ({ figures }: Measurement): Figures | undefined =>
  figures.find(({ target }) => target === floor);

/** Three digits that count: 4.73, 0.447, 0.0290. Above that all of them: 1980. Nothing for what was not measured. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '';
  return value >= 1000 ? value.toFixed(0) : value.toPrecision(3);
}

export function toTables(measurement: Measurement): Table[] {
  const { workloads, figures } = measurement;
  const base = floorOf(measurement);
  const names = workloads.map(({ name }) => name);
  const mean = names.filter((name) => IN_MEAN.has(name));
  const meanTitle = mean.length > 1 ? [`mean ${mean[0]} to ${mean.at(-1)}`] : [];
  const grid = (
    title: string,
    cell: (one: Figures, workload: string) => string,
    last: (one: Figures) => string[] = () => [],
    lastTitle: readonly string[] = [],
  ): Table => ({
    title,
    rows: [
      ['', ...names, ...lastTitle],
      ...figures.map((one) => [
        one.target.name,
        ...names.map((name) => cell(one, name)),
        ...last(one),
      ]),
    ],
  });
  const times = (title: string, cpu: typeof cpuOf): Table[] =>
    base === undefined
      ? []
      : [
          grid(
            title,
            (one, name) => ratio(one, base, name, cpu).toFixed(2),
            (one) =>
              mean.length > 1 ? [meanRatio(measurement, one, base, cpu).toFixed(2)] : [],
            meanTitle,
          ),
        ];
  return [
    grid('CPU for one operation, median (ms)', (one, name) => digits(cpuOf(one, name))),
    ...times('CPU, times the floor', cpuOf),
    grid('CPU, lowest to highest (ms)', ({ cpu }, name) => {
      const values = cpu.get(name) ?? [];
      return `${digits(Math.min(...values))} to ${digits(Math.max(...values))}`;
    }),
    grid('REST calls for one operation', ({ calls }, name) => `${calls.get(name)}`),
    ...(figures.every(({ evenCpu }) => evenCpu.size > 0)
      ? [
          evenTable(measurement),
          ...times('CPU at the same rate, times the floor', evenCpuOf),
        ]
      : []),
    memoryTable(measurement),
  ];
}

function evenTable({ workloads, figures }: Measurement): Table {
  return {
    title: 'CPU for one operation at the same rate for all, median (ms)',
    rows: [
      ['', ...workloads.map(({ name, evenRate }) => `${name} at ${evenRate} a second`)],
      ...figures.map((one) => [
        one.target.name,
        ...workloads.map(({ name }) => digits(evenCpuOf(one, name))),
      ]),
    ],
  };
}

function memoryTable({ workloads, figures }: Measurement): Table {
  const timed = workloads.filter(({ name }) => figures[0]?.latency.has(name));
  const latency = ({ latency }: Figures, name: string) => {
    const { median: middle, p99 } = latency.get(name) ?? { median: NaN, p99: NaN };
    return `${digits(middle)}, ${digits(p99)}`;
  };
  return {
    title:
      timed.length > 0
        ? 'Memory at most (MB); latency, median and 99th percentile (ms)'
        : 'Memory at most (MB)',
    rows: [
      ['', 'memory', ...timed.map(({ name, rate }) => `${name} at ${rate} a second`)],
      ...figures.map((one) => [
        one.target.name,
        median(one.memory).toFixed(0),
        ...timed.map(({ name }) => latency(one, name)),
      ]),
    ],
  };
}

/** The table for a terminal: the first column to the left, the others to the right. */
export function toText({ title, rows }: Table): string {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0
          ? cell.padEnd(widths?.[column] ?? 0)
          : cell.padStart(widths?.[column] ?? 0),
      )
      .join('  '),
  );
  return `${title}\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

export function toMarkdown({ title, rows }: Table): string {
  const [head = [], ...others] = rows;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|---|${head
    .slice(1)
    .map(() => '---:|')
    .join('')}`;
  return `**${title}**\n\n${[line(head), rule, ...others.map(line)].join('\n')}\n`;
}
