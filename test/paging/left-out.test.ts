import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/embedded/sample/random.ts';
import type { ListOptions } from '../support/list.ts';
import { createMemory } from '../support/memory.ts';
import {
  BY_UNKNOWN_ID,
  LEARNING,
  numbered,
  STYLES,
  startHttpPager,
} from '../support/pager.ts';

const MANY = numbered(120);
const numberOf = (id: string) => Number(id.slice(1));
const random = createRandom(7);
const AT_RANDOM = new Set(MANY.filter(() => random.chance(0.3)));

/** A service that takes `limit` items, and leaves some of them out. */
const LEFT_OUT: Record<string, (id: string) => boolean> = {
  'every other item': (id) => numberOf(id) % 2 === 0,
  'every fifth item': (id) => numberOf(id) % 5 === 4,
  'items at random': (id) => AT_RANDOM.has(id),
  'the first items': (id) => numberOf(id) < 30,
  'the last items': (id) => numberOf(id) >= 90,
  'items in the middle': (id) => numberOf(id) >= 40 && numberOf(id) < 80,
  'all but one item': (id) => id !== 'm060',
  'all items': () => true,
};
const SERVICES = [
  ...STYLES,
  ...BY_UNKNOWN_ID.map((style) => ({
    ...style,
    settings: {
      ...style.settings,
      PAGING_UNKNOWN_ID: style.service.unknown === 'first' ? 'first' : 'refused',
    },
  })),
  ...LEARNING,
];
const CASES = SERVICES.flatMap((style) =>
  Object.entries(LEFT_OUT)
    // A trial of `ending_before` brings nothing then, with or without the parameter, and decides nothing.
    .filter(([what]) => !/alone/.test(style.name) || what !== 'the first items')
    .map(([what, hides]) => ({ ...style, what, hides })),
);

describe.each(CASES)('with $name, if the service leaves out $what', (style) => {
  const { hides, settings } = style;
  const service: ListOptions = { ...style.service, hides };
  const list = MANY.filter((id) => !hides(id));

  test.each(
    [1, 7, 10, 50, 100].flatMap((size) => [
      { size, backward: false },
      { size, backward: true },
    ]),
  )('a walk in pages of $size is complete (backward: $backward)', async (options) => {
    const memory = createMemory(MANY, { service, settings });

    expect(await memory.walk(options)).toEqual(list);
    // Two calls a page, and some for what was left out, for a first look, and for what is learned.
    const pages = Math.ceil(list.length / options.size);
    expect(memory.service.queries().length).toBeLessThanOrEqual(4 * pages + 30);
  });
});

test.each(STYLES)(
  'over HTTP, with $name, walks of such lists are complete',
  async (style) => {
    const hides = (id: string) => numberOf(id) % 2 === 0;
    const service = { ...style.service, hides };
    for (const size of [1, 7, 10]) {
      await using pager = await startHttpPager(MANY, { ...style, service });

      expect(await pager.walk({ size })).toEqual(MANY.filter((id) => !hides(id)));
    }
  },
);
