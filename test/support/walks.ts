/**
 * Measures the REST calls and the items of a walk through a whole list, in each paging style. Prints the table of
 * docs/paging.md. The numbers are exact, so a test compares the two.
 */
import { fileURLToPath } from 'node:url';
import { createMemory } from './memory.ts';
import { STYLES, type Style } from './pager.ts';
import { describeRandomWalks, walkRandomServices } from './random-walks.ts';

const LENGTH = 640;
const SIZES = [10, 50, 100];
/** How many services with random answers are walked through, and which ones. */
const SERVICES = 100;
const SEED = 1;

/** The calls and items of one walk, `13 calls, 640 items`. */
async function measure(style: Style, size: number, backward: boolean): Promise<string> {
  const ids = Array.from({ length: LENGTH }, (_, index) => `m${index}`);
  const { service, walk } = createMemory(ids, style);
  const seen = await walk({ size, backward });
  if (seen.length !== LENGTH)
    throw new Error(`the walk found ${seen.length} of ${LENGTH} messages`);
  return `${service.queries().length} calls, ${service.carried()} items`;
}

/** The table as Markdown. */
export async function measureWalks(): Promise<string> {
  const head = `| ${LENGTH} messages | ${SIZES.map((size) => `pages of ${size}`).join(' | ')} |`;
  const rows = [head, `|---|${SIZES.map(() => '---').join('|')}|`];
  for (const style of STYLES) {
    for (const backward of [false, true]) {
      const cells: string[] = [];
      for (const size of SIZES) cells.push(await measure(style, size, backward));
      rows.push(
        `| \`${style.name}\`, ${backward ? 'backward' : 'forward'} | ${cells.join(' | ')} |`,
      );
    }
  }
  return rows.join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const walks = await walkRandomServices(SERVICES, SEED);
  process.stdout.write(`${await measureWalks()}\n\n${describeRandomWalks(walks)}\n`);
}
