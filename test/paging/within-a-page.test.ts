import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { type ListOptions, startList } from '../support/list.ts';
import { askPage } from '../support/pager.ts';

/** A page may need several calls; here the list shifts between the first of them and the second. */
const LIST = Array.from({ length: 45 }, (_, index) => `m${index}`);
const CAPPED = { MAX_LIMIT: '10' };

const remove =
  (...gone: string[]) =>
  (ids: string[]) =>
    ids.splice(0, ids.length, ...ids.filter((id) => !gone.includes(id)));

describe.each([['empty'], [400], [404], ['first']] as const)(
  'PAGING=starting_after: the item that the next call would name is deleted, and the service answers %j to it',
  (unknown) => {
    const service: ListOptions = {
      after: 'starting_after',
      before: 'ending_before',
      maxLimit: 10,
      unknown,
      afterFirst: remove('m9'),
    };

    test('a page goes on beside the one before', async () => {
      await using upstream = await startList(LIST, service);
      await using gateway = await startTestGateway(upstream.url, {
        PAGING: 'starting_after',
        PAGING_UNKNOWN_ID: unknown === 'first' ? 'first' : 'refused',
        ...CAPPED,
      });

      const { code, ids, hasNext } = await askPage(gateway, 'first: 30');

      // What was answered with it still there is not taken back.
      expect({ code, ids, hasNext }).toEqual({
        code: undefined,
        ids: LIST.slice(0, 30),
        hasNext: true,
      });
    });

    test('the end of the list is its end', async () => {
      await using upstream = await startList(LIST, service);
      await using gateway = await startTestGateway(upstream.url, {
        PAGING: 'starting_after',
        PAGING_UNKNOWN_ID: unknown === 'first' ? 'first' : 'refused',
        ...CAPPED,
      });

      const { code, ids } = await askPage(gateway, 'last: 5');

      expect(code ?? ids).toEqual(LIST.slice(-5));
    });
  },
);

test('PAGING=starting_after: when all that could be named are deleted, it is said', async () => {
  await using upstream = await startList(LIST, {
    after: 'starting_after',
    maxLimit: 10,
    unknown: 404,
    afterFirst: remove(...LIST.slice(0, 10)),
  });
  await using gateway = await startTestGateway(upstream.url, {
    PAGING: 'starting_after',
    ...CAPPED,
  });

  const { code, message } = await askPage(gateway, 'first: 30');

  expect(code).toBe('PAGE_OUT_OF_REACH');
  expect(message).toContain('ask again');
});

test.each([
  ['offset', { offset: 'offset' }, 6],
  ['offset', { offset: 'offset' }, 9],
  ['page', { page: 'page' }, 6],
  ['page', { page: 'page' }, 9],
])(
  'PAGING=%s: a list that shrinks under what was read, %j by %i, is no end',
  async (paging, service, count) => {
    const list = LIST.slice(0, 15);
    await using upstream = await startList(list, {
      ...service,
      maxLimit: 10,
      afterFirst: remove(...list.slice(0, count)),
    });
    await using gateway = await startTestGateway(upstream.url, {
      PAGING: paging,
      ...CAPPED,
    });

    const { code, message } = await askPage(gateway, 'first: 15');

    expect(code).toBe('PAGE_OUT_OF_REACH');
    expect(message).toContain('ask again');
  },
);

test('the same list under two aliases costs what it costs once', async () => {
  await using upstream = await startList(
    Array.from({ length: 640 }, (_, index) => `m${index}`),
    { after: 'starting_after', before: 'ending_before', maxLimit: 50 },
  );
  await using gateway = await startTestGateway(upstream.url, {
    PAGING: 'starting_after',
  });

  const answer = await gateway.ask(`{
    a: messages(conversationId: "c1", last: 3) { nodes { id } }
    b: messages(conversationId: "c1", last: 3) { pageInfo { hasPreviousPage } }
  }`);

  expect(answer.errors).toBeUndefined();
  expect(answer.data).toEqual({
    a: { nodes: [{ id: 'm637' }, { id: 'm638' }, { id: 'm639' }] },
    b: { pageInfo: { hasPreviousPage: true } },
  });
  expect(upstream.calls).toHaveLength(13);
});

test('MAX_LIMIT is kept, also by a service that gives less', async () => {
  await using upstream = await startList(LIST, {
    after: 'starting_after',
    maxLimit: 4,
  });
  await using gateway = await startTestGateway(upstream.url, {
    PAGING: 'starting_after',
    MAX_LIMIT: '5',
  });

  const { code, ids } = await askPage(gateway, 'first: 20');

  expect(code ?? ids).toEqual(LIST.slice(0, 20));
  const limits = upstream
    .queries()
    .map((query) => Number(/limit=(\d+)/.exec(query)?.[1]));
  expect(Math.max(...limits)).toBe(5);
});
