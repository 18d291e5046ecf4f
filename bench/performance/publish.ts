/** Writes what a whole run measured into the docs. */
import { cpus } from 'node:os';
import { barChart } from './chart.ts';
import { writeChart, writeSection } from './docs.ts';
import type { Growth } from './growth.ts';
import type { Measurement } from './measure.ts';
import { floorOf, ratio, type Table, toMarkdown } from './tables.ts';

const machine = () => `Node ${process.version}, ${cpus().length} cores`;

/** The comparison's tables and chart. */
export function publishComparison(
  measurement: Measurement,
  tables: readonly Table[],
): string {
  const { workloads, figures, costs, tookMs } = measurement;
  const floor = floorOf(measurement);
  if (floor === undefined) throw new Error('there is no floor to compare with');
  const shown = workloads.filter(({ calls }) => calls !== 0);
  writeChart(
    'performance.svg',
    barChart({
      title: 'CPU for one operation, times the hand-written endpoint',
      groups: shown.map(({ name }) => name),
      series: figures.map((one) => ({
        name: one.target.name,
        values: shown.map(({ name }) => ratio(one, floor, name)),
      })),
    }),
  );
  const us = (ms: number) => `${(ms * 1000).toFixed(1)} µs`;
  return writeSection(
    'comparison',
    `${machine()}; the run took ${(tookMs / 1000).toFixed(0)} s. The service used ${us(costs.service)} of CPU for each call, the
load generator ${us(costs.load)} for each operation.

![CPU for one operation, times the hand-written endpoint](performance.svg)

${tables.map(toMarkdown).join('\n')}`,
  );
}

/** Where the time of the gateway goes. */
export const publishProfile = (table: Table): string =>
  writeSection('profile', toMarkdown(table));

/** The tables and the charts of growth. */
export function publishGrowth({ tables, burstChart, walkChart }: Growth): string {
  writeChart('growth-at-once.svg', burstChart);
  writeChart('growth-walks.svg', walkChart);
  return writeSection(
    'growth',
    `${machine()}.

![Latency, by the number of operations at once](growth-at-once.svg)

${tables.map(toMarkdown).join('\n')}
![CPU of a walk, by the length of the list](growth-walks.svg)`,
  );
}

/** What more workers bring. `othersBusy`: the share of the cores that other programs used. */
export const publishWorkers = (tables: readonly Table[], othersBusy: number): string =>
  writeSection(
    'workers',
    `${machine()}; other programs used ${(othersBusy * 100).toFixed(0)} % of them.\n\n${tables.map(toMarkdown).join('\n')}`,
  );
