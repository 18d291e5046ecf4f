import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { type ListOptions, type ListUpstream, startList } from '../support/list.ts';
import { askPage, type TestPage, walk } from '../support/pager.ts';
import { startUpstream } from '../support/upstream.ts';
import { wirePage } from '../support/wire.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const MANY = Array.from({ length: 350 }, (_, i) => `m${String(i).padStart(3, '0')}`);

const STRATEGIES: [name: string, service: ListOptions][] = [
  ['limit', {}],
  ['starting_after', { after: 'starting_after', before: 'ending_before' }],
  ['offset', { offset: 'offset' }],
  ['page', { page: 'page' }],
];

const CAPS: [how: string, cap: ListOptions][] = [
  ['none', {}],
  ['silent, of 25', { maxLimit: 25 }],
  ['refused with 400 above 25', { maxLimit: 25, refuse: 400 }],
  ['refused with 422 above 25', { maxLimit: 25, refuse: 422 }],
];

/** Runs a test in front of a service of one strategy. */
async function withList(
  ids: readonly string[],
  [name, service]: (typeof STRATEGIES)[number],
  body: (tools: {
    upstream: ListUpstream;
    gateway: Awaited<ReturnType<typeof startTestGateway>>;
  }) => Promise<void>,
): Promise<void> {
  await using upstream = await startList(ids, service);
  await using gateway = await startTestGateway(upstream.url, { PAGING: name });
  await body({ upstream, gateway });
}

describe.each(STRATEGIES)('PAGING=%s', (name, service) => {
  test.each([[1], [7], [10], [99], [100]])(
    'walks forward by %i without loss or repeat',
    (size) =>
      withList(
        size === 1 ? LETTERS : MANY,
        [name, service],
        async ({ upstream, gateway }) => {
          expect(await walk(gateway, { size })).toEqual(upstream.ids);
        },
      ),
  );

  test.each([[1], [7], [10], [99], [100]])(
    'walks backward by %i without loss or repeat',
    (size) =>
      withList(
        size === 1 ? LETTERS : MANY,
        [name, service],
        async ({ upstream, gateway }) => {
          expect(await walk(gateway, { size, backward: true })).toEqual(upstream.ids);
        },
      ),
  );

  test.each([[0], [1], [9], [10], [11], [20]])('ends a list of %i exactly', (length) =>
    withList(LETTERS.slice(0, length), [name, service], async ({ upstream, gateway }) => {
      expect(await walk(gateway, { size: 10 })).toEqual(upstream.ids);
      expect(await walk(gateway, { size: 10, backward: true })).toEqual(upstream.ids);
    }),
  );

  test('goes on from every edge, in both directions', () =>
    withList(LETTERS, [name, service], async ({ gateway }) => {
      const { cursors } = await askPage(gateway, 'first: 26');

      for (const [index, cursor] of cursors.entries()) {
        const behind = await askPage(gateway, `first: 4, after: "${cursor}"`);
        const before = await askPage(gateway, `last: 4, before: "${cursor}"`);
        expect(behind).toMatchObject({
          ids: LETTERS.slice(index + 1, index + 5),
          hasNext: index + 5 < 26,
          hasPrevious: true,
        });
        expect(before).toMatchObject({
          ids: LETTERS.slice(Math.max(0, index - 4), index),
          hasPrevious: index > 4,
          hasNext: true,
        });
      }
    }));

  test.each([[false], [true]])(
    'loses and repeats nothing while items come and go (backward: %s)',
    (backward) =>
      withList(MANY, [name, service], async ({ upstream, gateway }) => {
        const seen = await walk(gateway, {
          size: 10,
          backward,
          between(turn: number, page: TestPage) {
            upstream.ids.unshift(`new${turn}a`, `new${turn}b`);
            const edge = (backward ? page.ids[0] : page.ids.at(-1)) ?? '';
            const inner = (backward ? page.ids[1] : page.ids.at(-2)) ?? '';
            for (const id of turn % 3 === 0 ? [edge, inner] : [edge]) {
              if (upstream.ids.includes(id))
                upstream.ids.splice(upstream.ids.indexOf(id), 1);
            }
          },
        });

        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((id) => id?.startsWith('m'))).toEqual(MANY);
      }),
  );

  test('says so when the cursor and all its neighbours are gone', () =>
    withList(LETTERS, [name, service], async ({ upstream, gateway }) => {
      const { end } = await askPage(gateway, 'first: 10');
      upstream.ids.splice(1, 9);

      expect((await askPage(gateway, `first: 5, after: "${end}"`)).code).toBe(
        'PAGE_OUT_OF_REACH',
      );
    }));

  describe.each(CAPS)('with a cap: %s', (_how, cap) => {
    test.each([[10], [25], [40]])(
      'a walk by %i is whole, or ends with an error',
      (size) =>
        withList(
          MANY.slice(0, 120),
          [name, { ...service, ...cap }],
          async ({ upstream, gateway }) => {
            const isReachable = name !== 'limit' || cap.maxLimit === undefined;

            for (const backward of [false, true]) {
              const walked = walk(gateway, { size, backward });
              if (isReachable) expect(await walked).toEqual(upstream.ids);
              else await expect(walked).rejects.toThrow('PAGE_OUT_OF_REACH');
            }
          },
        ),
    );
  });
});

describe('a walk forward costs one call a page', () => {
  test.each(STRATEGIES.slice(1))('%s', (name, service) =>
    withList(MANY, [name, service], async ({ upstream, gateway }) => {
      await walk(gateway, { size: 10 });

      expect(upstream.calls).toHaveLength(35);
    }),
  );
});

test.each([['offset'], ['page']])(
  'a service that does not know `%s` is told from one that counts',
  async (name) => {
    await withList(MANY, [name, {}], async ({ upstream, gateway }) => {
      await expect(walk(gateway, { size: 10 })).rejects.toThrow(
        /PAGE_OUT_OF_REACH.*PAGING/,
      );
      expect(upstream.calls.length).toBeLessThan(50);
    });
  },
);

test.each([
  ['offset', { offset: 'skip' }],
  ['page', { page: 'p' }],
])('the parameter of %s may be called otherwise', async (name, service) => {
  await using upstream = await startList(LETTERS, service);
  await using gateway = await startTestGateway(upstream.url, {
    PAGING: name,
    PAGING_PARAM: Object.values(service)[0],
  });

  expect(await walk(gateway, { size: 10 })).toEqual(LETTERS);
});

test.each(STRATEGIES)(
  'under PAGING=%s a service that says there is more and gives nothing makes no loop',
  async (paging) => {
    await using upstream = await startUpstream(() => ({ body: wirePage([], true) }));
    await using gateway = await startTestGateway(upstream.url, { PAGING: paging });

    for (const args of ['first: 5', 'last: 5']) {
      expect((await askPage(gateway, args)).code).toBe('PAGE_OUT_OF_REACH');
    }
    expect(upstream.calls.length).toBeLessThanOrEqual(4);
  },
);
