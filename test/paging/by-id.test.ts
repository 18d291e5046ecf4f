import { expect, test } from 'vitest';
import type { Environment } from '../../src/gateway.ts';
import type { ListOptions } from '../support/list.ts';
import { BY_ID, LETTERS, numbered, startHttpPager } from '../support/pager.ts';

const MANY = numbered(200);

const byId = (service: ListOptions = {}, settings: Environment = {}) => ({
  service: { ...BY_ID.service, ...service },
  settings: { ...BY_ID.settings, ...settings },
});

test('each page forward is one call', async () => {
  await using pager = await startHttpPager(LETTERS, BY_ID);

  expect(await pager.walk({ size: 10 })).toEqual([...LETTERS]);
  expect(pager.service.queries()).toEqual([
    'limit=10',
    'limit=10&starting_after=j',
    'limit=10&starting_after=t',
  ]);
});

test('backward, the end of the list is looked for once, then each page is one call', async () => {
  await using pager = await startHttpPager(numbered(250), BY_ID);

  expect(await pager.walk({ size: 100, backward: true })).toEqual(numbered(250));
  expect(pager.service.queries()).toEqual([
    'limit=100',
    'limit=100&starting_after=m099',
    'limit=100&starting_after=m199',
    'limit=100&ending_before=m150',
    'limit=100&ending_before=m050',
  ]);
});

test('the parameters may have other names', async () => {
  const names = { PAGING_PARAM: 'since', PAGING_BACK_PARAM: 'until' };
  await using pager = await startHttpPager(
    LETTERS,
    byId({ after: 'since', before: 'until' }, names),
  );

  expect(await pager.walk({ size: 10 })).toEqual([...LETTERS]);
  expect(await pager.walk({ size: 10, backward: true })).toEqual([...LETTERS]);
  expect(pager.service.queries()).toContain('limit=10&since=j');
  expect(pager.service.queries()).toContain('limit=10&until=q');
});

test('without a parameter for the page before, a list is read from its head', async () => {
  const service = { after: 'starting_after' };
  await using pager = await startHttpPager(LETTERS, { ...BY_ID, service });

  expect(await pager.walk({ size: 5, backward: true })).toEqual([...LETTERS]);
});

test('with PAGING_UNKNOWN_ID=first, each page forward is still one call', async () => {
  await using pager = await startHttpPager(
    MANY,
    byId({ unknown: 'first' }, { PAGING_UNKNOWN_ID: 'first' }),
  );

  expect(await pager.walk({ size: 10 })).toEqual(MANY);
  expect(pager.service.queries()).toHaveLength(20);
});

test('a service that answers an unknown id with its first page loses no item if little changes', async () => {
  await using pager = await startHttpPager(MANY, byId({ unknown: 'first' }));
  const { ids } = pager.service;

  const seen = await pager.walk({
    size: 10,
    between(turn, page) {
      ids.unshift(`new${turn}`);
      ids.splice(ids.indexOf(page.ids.at(-1) ?? ''), 1);
    },
  });

  expect(seen).toEqual(MANY);
});

test('no call asks for more than MAX_LIMIT', async () => {
  await using pager = await startHttpPager(
    MANY,
    byId({ maxLimit: 25, refuse: 400 }, { MAX_LIMIT: '25' }),
  );

  expect((await pager.page('first: 60')).ids).toEqual(MANY.slice(0, 60));
  expect(pager.service.queries()).toEqual([
    'limit=25',
    'limit=25&starting_after=m024',
    'limit=10&starting_after=m049',
  ]);
});

test('no call asks for more than MAX_LIMIT, even if the service returns less', async () => {
  await using pager = await startHttpPager(
    MANY,
    byId({ maxLimit: 4 }, { MAX_LIMIT: '5' }),
  );

  expect((await pager.page('first: 20')).ids).toEqual(MANY.slice(0, 20));
  const limits = pager.service
    .queries()
    .map((query) => Number(/limit=(\d+)/.exec(query)?.[1]));
  expect(Math.max(...limits)).toBe(5);
});

test('a service that does not know the parameter is recognized', async () => {
  await using pager = await startHttpPager(MANY, { ...BY_ID, service: {} });
  await pager.page('first: 100');

  for (const args of ['first: 100, after: m099', 'last: 3']) {
    expect((await pager.page(args)).text).toMatch(
      /^PAGE_OUT_OF_REACH.*starting_after.*PAGING/,
    );
  }
  expect(pager.service.queries().length).toBeLessThan(15);
});

test('the same list under two aliases costs the calls of one', async () => {
  await using pager = await startHttpPager(numbered(640), byId({ maxLimit: 50 }));

  const answer = await pager.gateway.ask(`{
    a: messages(conversationId: "c1", last: 3) { nodes { id } }
    b: messages(conversationId: "c1", last: 3) { pageInfo { hasPreviousPage } }
  }`);

  expect(answer.errors).toBeUndefined();
  expect(answer.data).toEqual({
    a: { nodes: [{ id: 'm637' }, { id: 'm638' }, { id: 'm639' }] },
    b: { pageInfo: { hasPreviousPage: true } },
  });
  expect(pager.service.queries()).toHaveLength(13);
});
