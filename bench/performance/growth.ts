/** How cost grows: with operations at once, with the length of a page, and with the length of a list. */
import { AT_ONCE, measureBursts, measureMemory } from './bursts.ts';
import { lineChart } from './chart.ts';
import { LENGTHS, measurePages, measureWalks, WALK_PAGE } from './lists.ts';
import type { Table } from './tables.ts';
import type { Target } from './targets.ts';

export interface Growth {
  readonly tables: readonly Table[];
  /** SVG. */
  readonly burstChart: string;
  /** SVG. */
  readonly walkChart: string;
}

export async function measureGrowth(
  target: Target,
  say: (line: string) => void,
): Promise<Growth> {
  const bursts = await measureBursts(target, say);
  const memory = await measureMemory(target, say);
  const pages = await measurePages(target, say);
  const walks = await measureWalks(target, say);
  return {
    tables: [bursts.table, memory, pages, walks.table],
    burstChart: lineChart({
      title: 'Median latency of W2, two calls of 50 ms one after the other (ms)',
      xTitle: 'operations at once',
      yTitle: 'ms',
      x: AT_ONCE,
      series: bursts.series,
    }),
    walkChart: lineChart({
      title: `CPU of a walk through a list, pages of ${WALK_PAGE} (ms)`,
      xTitle: 'messages in the list',
      yTitle: 'ms',
      x: LENGTHS,
      series: walks.series,
    }),
  };
}
