import { describe, expect, test } from 'vitest';
import { createEndpointMemory } from '../../src/paging/known-endpoints.ts';
import { startTestGateway } from '../support/gateway.ts';
import {
  BY_ID,
  BY_LIMIT,
  numbered,
  STYLES,
  type Style,
  startPager,
} from '../support/pager.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const MANY = numbered(200);

const withCap = (style: Style, maxLimit: number, refuse?: 400 | 422): Style => ({
  ...style,
  service: { ...style.service, maxLimit, ...(refuse ? { refuse } : {}) },
});

const limitsOf = (queries: readonly string[]): number[] =>
  queries.map((query) => Number(/limit=(\d+)/.exec(query)?.[1]));

describe.each(STYLES)('with PAGING=$name', (style) => {
  test('a refused `limit` is met once a process', async () => {
    const pager = startPager(MANY, withCap(style, 25, 400));

    for (let turn = 0; turn < 3; turn += 1) await pager.page('first: 60');

    const limits = limitsOf(pager.service.queries());
    expect(limits.filter((limit) => limit > 25)).toEqual([60]);
  });

  // security: learned-limit
  test('a refused `limit` does not shorten pages below it', async () => {
    const pager = startPager(MANY, withCap(style, 25, 422));
    await pager.page('first: 60');
    const before = pager.service.queries().length;

    expect((await pager.page('first: 25')).ids).toEqual(MANY.slice(0, 25));
    expect(pager.service.queries().length - before).toBe(1);
  });

  test('a maximum that falls is learned again', async () => {
    const service = { ...style.service, maxLimit: 50, refuse: 400 as const };
    const pager = startPager(MANY, { ...style, service });
    await pager.page('first: 60');
    await pager.page('first: 50');
    service.maxLimit = 20;

    for (let turn = 0; turn < 3; turn += 1) await pager.page('first: 20');
    const before = pager.service.queries().length;
    await pager.page('first: 50');
    await pager.page('first: 50');

    const limits = limitsOf(pager.service.queries()).slice(before);
    expect(limits.filter((limit) => limit > 20)).toEqual([50]);
  });
});

test.each(STYLES.slice(1))('with PAGING=$name, a cut page is met once', async (style) => {
  const pager = startPager(MANY, withCap(style, 25));

  for (let turn = 0; turn < 3; turn += 1)
    expect((await pager.page('first: 60')).ids).toEqual(MANY.slice(0, 60));

  const limits = limitsOf(pager.service.queries());
  expect(limits.filter((limit) => limit > 25)).toEqual([60]);
});

test('with PAGING=limit, a page that was cut is asked for in full, in case the maximum has risen', async () => {
  const service = { maxLimit: 25 };
  const pager = startPager(MANY, { ...BY_LIMIT, service });
  expect((await pager.page('first: 60')).code).toBe('PAGE_OUT_OF_REACH');
  service.maxLimit = 100;

  expect((await pager.page('first: 60')).ids).toEqual(MANY.slice(0, 60));
});

// security: learned-limit
test('what is refused for another reason than its `limit` is not remembered', async () => {
  await using upstream = await startUpstream(({ line }) =>
    line.includes('conversation_id=bad')
      ? { status: 400, body: 'bad id' }
      : { body: wirePage([wireMessage('m1')]) },
  );
  await using gateway = await startTestGateway(upstream.url);
  const ask = (id: string) =>
    gateway.ask(`{ messages(conversationId: "${id}", first: 50) { nodes { id } } }`);

  expect((await ask('bad')).errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  await ask('good');

  expect(limitsOf(upstream.lines())).toEqual([50, 10, 50]);
});

describe('a first page', () => {
  test('is priced at the one call that it needs', async () => {
    await using upstream = await startUpstream(({ line }) => ({
      body: line.includes('/messages')
        ? wirePage([wireMessage('m1')])
        : wirePage(Array.from({ length: 50 }, (_, i) => wireConversation(`c${i}`))),
    }));
    await using gateway = await startTestGateway(upstream.url, { MAX_REST_CALLS: '51' });

    const { errors } = await gateway.ask(
      '{ conversations(first: 50) { nodes { messages(first: 100) { nodes { id } } } } }',
    );

    expect(errors).toBeUndefined();
    expect(upstream.calls).toHaveLength(51);
  });

  const refusing = (MAX_REST_CALLS: string): Style => {
    const style = withCap(BY_ID, 10, 422);
    return { ...style, settings: { ...style.settings, MAX_REST_CALLS } };
  };

  test('takes the second try after a refusal from what the operation leaves', async () => {
    const pager = startPager(MANY, refusing('3'));

    expect((await pager.page('first: 20')).ids).toEqual(MANY.slice(0, 20));
    expect(pager.service.queries()).toHaveLength(3);
  });

  test('is out of reach if nothing is left, and the message names the settings', async () => {
    const pager = startPager(MANY, refusing('1'));

    expect((await pager.page('first: 20')).text).toMatch(
      /^PAGE_OUT_OF_REACH.*MAX_LIMIT.*MAX_REST_CALLS/,
    );
    expect(pager.service.queries()).toHaveLength(1);
  });
});

const ANN = { key: 'ann' };

const pageOf = (count: number, hasMore: boolean) => ({
  items: numbered(count).map((id) => ({ id, value: id })),
  hasMore,
});

describe('the memory of a process', () => {
  const MINUTES = 60_000;

  test('lets one page in ten minutes ask for more, in case the maximum has risen', () => {
    let now = 0;
    const known = createEndpointMemory({ now: () => now }).of('/v1/messages', ANN).limits;
    known.refused(50);

    now += 9 * MINUTES;
    expect(known.takeRetry()).toBe(false);
    now += 2 * MINUTES;
    expect([known.takeRetry(), known.takeRetry()]).toEqual([true, false]);
    known.answered(50, pageOf(50, false));
    expect(known.limitFor(50)).toBe(50);
  });

  test('does not take pages that are cut at random for a maximum', () => {
    const known = createEndpointMemory().of('/v1/messages', ANN).limits;
    for (const count of [97, 95, 96, 94, 93, 95]) {
      const limit = known.limitFor(100);
      known.answered(limit, pageOf(Math.min(count, limit - 1), true));
    }

    expect(known.limitFor(100)).toBeGreaterThan(90);
  });

  test('is one for all lists of an endpoint alone, and is kept for few endpoints', () => {
    const memory = createEndpointMemory();
    memory.of('/v1/messages?conversation_id=c1', ANN).limits.refused(50);
    expect(memory.of('/v1/messages?conversation_id=c2', ANN).limits.longest()).toBe(10);
    expect(memory.of('/v1/conversations', ANN).limits.longest()).toBe(null);
    expect(memory.learned()).toHaveLength(1);

    for (let index = 0; index < 20; index += 1) memory.of(`/v1/list${index}`, ANN);

    expect(memory.learned()).toEqual([]);
  });

  test('keeps what a caller has met for the latest thousands of callers', () => {
    const memory = createEndpointMemory();
    const limitsOf = (key: number | string) =>
      memory.of('/v1/messages', { key: `${key}` }).limits;
    limitsOf('ann').refused(50);
    for (let key = 0; key < 10_000; key += 1) limitsOf(key).refused(50);

    expect(limitsOf(9999).limitFor(100)).toBe(10);
    expect(limitsOf('ann').limitFor(100)).toBe(100);
  });
});
