import { describe, expect, test } from 'vitest';
import type { PageArguments } from '../../src/paging/cost.ts';
import { PageOutOfReachError } from '../../src/paging/errors.ts';
import type { ListOptions } from '../support/list.ts';
import { createMemory, pagesOf } from '../support/memory.ts';
import { LEARNING, numbered, SET_BY_HAND } from '../support/pager.ts';

const order = 'NEWEST_FIRST';
/** A message is later than those with lower numbers. */
const timeOf = (id: string) => 1_700_000_000 + Number(id.slice(1));

describe.each([...SET_BY_HAND, ...LEARNING])('with $name', ({ settings, service }) => {
  test.each([0, 1, 2, 3, 10, 11, 25])(
    '%i messages come the newest first, from either end',
    async (length) => {
      const newest = numbered(length).reverse();

      for (const ids of [newest, newest.toReversed()])
        for (const size of [1, 2, 10])
          for (const backward of [false, true]) {
            const memory = createMemory(ids, {
              service: { ...service, timeOf },
              settings,
            });
            expect(await memory.walk({ size, backward, order })).toEqual(newest);
          }
    },
  );
});

/** A list that pages by ids, with the calls that each page took. */
function createOrdered(ids: readonly string[], service: ListOptions = {}, settings = {}) {
  const byId = { after: 'starting_after', before: 'ending_before' };
  const memory = createMemory(ids, {
    service: { ...byId, timeOf, ...service },
    settings: { PAGING: 'starting_after', ...settings },
  });
  return {
    ...memory,
    async callsOf(args: PageArguments, caller?: string): Promise<string[]> {
      const before = memory.service.queries().length;
      await memory.page(args, caller);
      return memory.service.queries().slice(before);
    },
  };
}

const OLDEST_FIRST = numbered(60);
const NEWEST_FIRST = numbered(60).reverse();

test('over a service that lists the newest first, it makes the calls that it makes as listed', async () => {
  const ordered = createOrdered(NEWEST_FIRST);
  const asListed = createOrdered(NEWEST_FIRST);

  for (const backward of [false, true]) {
    await ordered.walk({ size: 10, backward, order });
    await asListed.walk({ size: 10, backward });
  }

  expect(ordered.service.queries()).toEqual(asListed.service.queries());
});

test('over one that lists the oldest first, it makes the calls of the other end, once that is known', async () => {
  const ordered = createOrdered(OLDEST_FIRST);
  const asListed = createOrdered(OLDEST_FIRST);
  expect((await ordered.callsOf({ first: 10, order }))[0]).toBe('limit=10');
  await asListed.walk({ size: 10, backward: true });
  const last = asListed.service.queries();

  const calls = await ordered.callsOf({ first: 10, order });
  await ordered.page({
    first: 10,
    after: (await ordered.page({ first: 10, order })).end,
    order,
  });

  expect(calls).toEqual(last.slice(0, calls.length));
  expect(ordered.service.queries().at(-1)).toBe('limit=10&ending_before=m050');
});

test('a caller learns the order by its own answers alone', async () => {
  const ordered = createOrdered(OLDEST_FIRST);
  await ordered.callsOf({ first: 10, order }, 'ann');

  const [first] = await ordered.callsOf({ first: 10, order }, 'bob');

  expect(first).toBe('limit=10');
});

test('a cursor is valid in both orders', async () => {
  for (const ids of [OLDEST_FIRST, NEWEST_FIRST]) {
    const { page } = createOrdered(ids);
    const { end } = await page({ first: 5 });
    const newer = numbered(60).slice(numbered(60).indexOf(ids[4] as string) + 1);

    const found = await page({ last: 3, before: end, order });

    expect(found.ids).toEqual(newer.slice(0, 3).reverse());
    expect(found.hasPrevious).toBe(newer.length > 3);
    const back = await page({ first: 1, after: found.end });
    expect(back.ids).toEqual([ids[ids.indexOf(found.ids.at(-1) as string) + 1]]);
  }
});

test('an order that changes is noticed at the next page', async () => {
  const ordered = createOrdered(OLDEST_FIRST);
  const newest = ['m059', 'm058', 'm057', 'm056'];
  expect((await ordered.page({ first: 4, order })).ids).toEqual(newest);

  ordered.service.ids.reverse();

  expect((await ordered.page({ first: 4, order })).ids).toEqual(newest);
  expect(await ordered.callsOf({ first: 1, order })).toEqual(['limit=1']);
});

test('one message may be the oldest or the newest: what came since is looked for at both ends', async () => {
  const { page, service } = createOrdered(['m000']);
  const { start } = await page({ first: 10, order });

  service.ids.push('m001');

  expect((await page({ last: 10, before: start, order })).ids).toEqual(['m001']);
});

test.each([
  [
    'messages of one time, at the head',
    (id: string) => Math.max(timeOf('m020'), timeOf(id)),
  ],
  [
    'messages of one time, at the tail',
    (id: string) => Math.min(timeOf('m040'), timeOf(id)),
  ],
])('%s, do not hide which end is the newest', async (_, flat) => {
  for (const ids of [OLDEST_FIRST, NEWEST_FIRST]) {
    const { page } = createOrdered(ids, { timeOf: flat });
    expect((await page({ first: 2, order })).ids).toEqual(['m059', 'm058']);
    expect((await page({ last: 2, order })).ids).toEqual(['m001', 'm000']);
  }
});

test('messages that all have one time come as the service lists them', async () => {
  const { page } = createOrdered(OLDEST_FIRST, { timeOf: () => 1_700_000_000 });

  expect((await page({ first: 2, order })).ids).toEqual(['m000', 'm001']);
});

test('a few pinned messages at the head do not make an order', async () => {
  const { page } = createOrdered(['m003', ...NEWEST_FIRST.filter((id) => id !== 'm003')]);

  expect((await page({ first: 10, order })).ids.slice(0, 2)).toEqual(['m003', 'm059']);
});

test('a list in neither order is out of reach, unless LIST_ORDER is set', async () => {
  const ids = ['m005', 'm001', 'm004', 'm002', 'm003', 'm000'];
  const unset = createOrdered(ids);
  const set = createOrdered(ids, {}, { LIST_ORDER: 'oldest' });

  const page = unset.page({ first: 3, order });
  await expect(page).rejects.toThrow(PageOutOfReachError);
  await expect(page).rejects.toThrow('LIST_ORDER');
  expect((await set.page({ first: 3, order })).ids).toEqual(['m000', 'm003', 'm002']);
});

test('LIST_ORDER decides, and one message is asked for as one', async () => {
  const { callsOf } = createOrdered(OLDEST_FIRST, {}, { LIST_ORDER: 'newest' });

  expect(await callsOf({ first: 1, order })).toEqual(['limit=1']);
});

/** Walks a list, each page in a process of its own that knows nothing yet. */
async function walkApart(
  ids: readonly string[],
  options: Parameters<typeof createMemory>[1],
  size: number,
  backward: boolean,
) {
  const seen: (string | null)[] = [];
  const readPage = (args: PageArguments) => createMemory(ids, options).page(args);
  for await (const read of pagesOf(readPage, { size, backward, order }))
    seen.splice(backward ? 0 : seen.length, 0, ...read.ids);
  return seen;
}

test.each([...SET_BY_HAND, ...LEARNING])(
  'with $name, a walk is complete though each page is read by another replica, and messages share their times',
  async ({ settings, service }) => {
    for (const length of [2, 3, 7, 24])
      for (const together of [1, 2, 3]) {
        const newest = numbered(length).reverse();
        const shared = (id: string) => Math.floor(timeOf(id) / together);
        for (const ids of [newest, newest.toReversed()])
          for (const size of [1, 2, 5])
            for (const backward of [false, true]) {
              const options = { service: { ...service, timeOf: shared }, settings };
              const seen = await walkApart(ids, options, size, backward);
              // Nothing tells the order of messages of one time.
              const isOneTime = new Set(ids.map(shared)).size === 1;
              const context = { length, together, size, backward, first: ids[0] };
              expect({ ...context, seen }).toEqual({
                ...context,
                seen: isOneTime ? ids : newest,
              });
            }
      }
  },
);

test('newer messages do not turn a walk round that began with messages of one time', async () => {
  const { page, service } = createOrdered(['m000', 'm001', 'm002'], {
    timeOf: (id) => (id < 'm003' ? 1 : 2),
  });
  const first = await page({ first: 2, order });

  service.ids.push('m003');
  const second = await page({ first: 2, after: first.end, order });

  expect([...first.ids, ...second.ids]).toEqual(['m000', 'm001', 'm002', 'm003']);
});

test('a list in no order is not taken for one in order because two messages are', async () => {
  const ids = [
    'm001',
    'm005',
    'm003',
    'm009',
    'm000',
    'm007',
    'm002',
    'm008',
    'm004',
    'm006',
    'm010',
    'm011',
  ];
  for (const args of [{ first: 1 }, { first: 2 }, { last: 1 }]) {
    const { page } = createOrdered(ids);

    await expect(page({ ...args, order })).rejects.toThrow('LIST_ORDER');
  }
});

test('two messages that have changed places do not turn the order that is known', async () => {
  const swapped = [
    ...OLDEST_FIRST.slice(0, 30),
    'm031',
    'm030',
    ...OLDEST_FIRST.slice(32),
  ];
  for (const ids of [swapped, swapped.toReversed()])
    for (const size of [1, 2, 3, 7]) {
      const { walk } = createOrdered(ids);
      const newest = ids === swapped ? ids.toReversed() : ids;

      expect(await walk({ size, order })).toEqual(newest);
    }
});

test('an order that changes while a page is read is noticed', async () => {
  const { page } = createOrdered(OLDEST_FIRST, { afterFirst: (ids) => ids.reverse() });

  await expect(page({ first: 5, order })).rejects.toThrow(PageOutOfReachError);
});

test('two pinned messages at the head do not keep any size of a page from being read', async () => {
  const others = NEWEST_FIRST.filter((id) => id !== 'm003' && id !== 'm005');
  const { page } = createOrdered(['m003', 'm005', ...others]);

  for (const first of [10, 1, 5, 10, 20])
    expect((await page({ first, order })).ids.slice(0, 2)).toEqual(
      first === 1 ? ['m003'] : ['m003', 'm005'],
    );
});

test('newer messages that show a guess to be wrong do not bring others twice', async () => {
  const { page, service } = createOrdered(['m000', 'm001'], {
    timeOf: (id) => (id < 'm002' ? 1 : 2),
  });
  const { start } = await page({ first: 10, order });

  service.ids.push('m002');

  const later = page({ last: 10, before: start, order });
  await expect(later).rejects.toThrow('Read the list again from its start.');
});

test('MAX_PAGE_SIZE bounds what is read to learn the order', async () => {
  const { page, service } = createOrdered(OLDEST_FIRST, {}, { MAX_PAGE_SIZE: '5' });
  const { start } = await page({ first: 2, order: 'AS_LISTED' });

  expect((await page({ last: 2, before: start, order })).ids).toEqual(['m002', 'm001']);
  expect(
    service.queries().every((query) => Number(/limit=(\d+)/.exec(query)?.[1]) <= 5),
  ).toBe(true);
});

test('where the head does not show the order and the end is too far, the error names LIST_ORDER', async () => {
  const flat = (id: string) => Math.max(timeOf('m200'), timeOf(id));
  const { page } = createOrdered(
    numbered(300),
    { timeOf: flat, maxLimit: 10 },
    { MAX_CALLS_PER_LIST: '4' },
  );

  await expect(page({ first: 5, order })).rejects.toThrow(
    /MAX_CALLS_PER_LIST.*LIST_ORDER/,
  );
});
