/** How cost grows: with operations at once, with the length of a page, and with the length of a list. */
import { measureBursts, measureMemory } from './bursts.ts';
import { lineChart } from './chart.ts';
import { LENGTHS, measurePages, measureWalks, WALK_PAGE } from './lists.ts';
import type { Table } from './tables.ts';
import type { Target } from './targets.ts';

export async function measureGrowth(
  target: Target,
  say: (line: string) => void,
): Promise<{ tables: Table[]; chart: string }> {
  const bursts = await measureBursts(target, say);
  const memory = await measureMemory(target, say);
  const pages = await measurePages(target, say);
  const walks = await measureWalks(target, say);
  return {
    tables: [bursts, memory, pages, walks.table],
    chart: lineChart({
      title: `CPU of a walk through a list, pages of ${WALK_PAGE} (ms)`,
      xTitle: 'messages in the list',
      yTitle: 'ms',
      x: LENGTHS,
      series: walks.series,
    }),
  };
}
