import { expect, test } from 'vitest';
import { Cancellation, IS_OVER } from '../../src/callers/abort.ts';
import { Deadline } from '../../src/callers/time-limit.ts';
import { createPoller } from '../../src/live/poll.ts';
import type { WatchedList } from '../../src/live/watched-list.ts';
import { byLimit } from '../../src/paging/by-limit.ts';
import { createEndpointMemory } from '../../src/paging/known-endpoints.ts';
import type { RestClient } from '../../src/rest/client.ts';
import type { List, Page, TimeOf } from '../../src/rest/list.ts';
import type { CallObserver } from '../../src/rest/observe.ts';
import { accepted } from '../support/callers.ts';

/** Polls, one at a time, of a list that is made by `list`. */
function startPolls(
  list: () => Partial<List<unknown>>,
  stopped = () => {},
  timeOf: TimeOf<unknown> = () => 0,
) {
  const events: string[] = [];
  const createPoll = createPoller({
    client: {
      forCaller: () => ({}),
      meters: { open: () => ({ close: () => events.push('meter closed') }) },
      redactorOf: () => (text: string) => text,
    } as unknown as RestClient,
    paging: {
      strategy: byLimit,
      bounds: {
        maxCalls: 1,
        maxLimit: 10,
        maxPageSize: 10,
        endpoints: createEndpointMemory(),
      },
      listOrder: null,
    },
    atOnce: 1,
    time() {
      events.push('time started');
      return Object.assign(new Deadline(Number.POSITIVE_INFINITY, { handleEvent() {} }), {
        stop() {
          events.push('time stopped');
          stopped();
        },
      });
    },
    observe: () => ({}) as CallObserver,
  });
  const ofTimes = () => ({ ...list(), times: [timeOf] });
  const source = { list: ofTimes } as unknown as WatchedList<unknown>;
  const poll = (end = new Cancellation()) =>
    createPoll(source, accepted('ann-token'))(end);
  return { events, poll };
}

test('a poll of a list that cannot be read stops its time and closes its meter', async () => {
  const { events, poll } = startPolls(() => {
    throw new Error('not an id');
  });

  await expect(poll()).rejects.toThrow('not an id');

  expect(events).toEqual(['time started', 'meter closed', 'time stopped']);
});

test('the wait for a place counts in the time of a poll', async () => {
  const { promise, resolve } = Promise.withResolvers<Page<unknown>>();
  const { events, poll } = startPolls(() => ({
    key: '/v1/messages',
    caller: { key: 'ann' },
    read: () => promise,
  }));
  const polls = [poll(), poll()];

  resolve({ items: [], hasMore: false });
  await Promise.all(polls);

  expect(events.filter((event) => event === 'time started')).toHaveLength(2);
});

// security: leaving-clients
test('a poll that is given up in the moment of its turn gives its place back', async () => {
  const end = new Cancellation();
  const page = { items: [], hasMore: false };
  let read = async (): Promise<Page<unknown>> => page;
  const { poll } = startPolls(
    () => ({ key: '/v1/messages', caller: { key: 'ann' }, read: () => read() }) as never,
    // It has its turn in this step, and is aborted in the next one, before it goes on.
    () => queueMicrotask(() => end.abort(IS_OVER)),
  );
  const first = poll();
  read = async () => {
    throw new Error('aborted');
  };
  const given = poll(end);
  await first;
  await expect(given).rejects.toThrow('aborted');
  read = async () => page;

  expect(await poll()).toMatchObject({ items: [] });
});

const newestFirst = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `m${index}`, value: -index }));

test.each([
  ['ten times its window, all that it has', newestFirst(100), [0, 100]],
  ['more, the newest', newestFirst(101), [0, 10]],
  ['far more, the newest', newestFirst(50_000), [0, 10]],
  ['more, the newest at its end', newestFirst(101).reverse(), [-10]],
])('a service that sends its whole list is watched: %s', async (_, items, kept) => {
  const { poll } = startPolls(
    () => ({
      key: '/v1/messages',
      caller: { key: 'ann' } as never,
      read: async () => ({ items, hasMore: false }),
    }),
    undefined,
    (value) => value as number,
  );

  const window = await poll();

  expect(window?.isWhole).toBe(items.length === 100);
  expect(window?.items).toEqual(items.slice(...kept));
});
