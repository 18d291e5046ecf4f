import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import { type ErrorBody, LISBON, type List, startAskedService } from './service.ts';

const list = `GET /v1/messages?conversation_id=${LISBON}`;
const everything = `${list}&limit=1000`;
type Messages = List<Message>;

/** The ids of an answered list. */
const ids = ({ body }: { body: List<{ id: string }> }) => body.data.map(({ id }) => id);

test.each<
  [Partial<Answers>, (id: (index: number) => string) => string, number, number, boolean]
>([
  [{ paging: 'starting_after' }, (id) => `limit=3&starting_after=${id(4)}`, 5, 8, true],
  [
    { paging: 'starting_after' },
    (id) => `limit=3&starting_after=${id(636)}`,
    637,
    640,
    false,
  ],
  [
    { paging: 'starting_after' },
    (id) => `limit=3&starting_after=${id(638)}`,
    639,
    640,
    false,
  ],
  [
    { paging: 'starting_after' },
    (id) => `limit=3&starting_after=${id(639)}`,
    640,
    640,
    false,
  ],
  [{ paging: 'starting_after' }, (id) => `limit=3&ending_before=${id(7)}`, 4, 7, true],
  [{ paging: 'starting_after' }, (id) => `limit=3&ending_before=${id(3)}`, 0, 3, false],
  [{ paging: 'starting_after' }, (id) => `limit=3&ending_before=${id(2)}`, 0, 2, false],
  [{ paging: 'starting_after' }, (id) => `limit=3&ending_before=${id(0)}`, 0, 0, false],
  [
    { paging: 'starting_after', pagingParam: 'after' },
    (id) => `after=${id(4)}`,
    5,
    15,
    true,
  ],
  [
    { paging: 'starting_after', pagingBackParam: 'before' },
    (id) => `limit=2&before=${id(4)}`,
    2,
    4,
    true,
  ],
  [{ paging: 'offset' }, () => 'limit=3&offset=5', 5, 8, true],
  [{ paging: 'offset' }, () => 'limit=3&offset=0', 0, 3, true],
  [{ paging: 'offset' }, () => 'limit=3&offset=637', 637, 640, false],
  [{ paging: 'offset' }, () => 'limit=3&offset=700', 640, 640, false],
  [{ paging: 'offset', pagingParam: 'skip' }, () => 'skip=5', 5, 15, true],
  [{ paging: 'page' }, () => 'limit=3&page=1', 0, 3, true],
  [{ paging: 'page' }, () => 'limit=3&page=3', 6, 9, true],
  [{ paging: 'page' }, () => 'limit=320&page=2', 320, 640, false],
  [{ paging: 'page', pagingParam: 'p' }, () => 'p=2', 10, 20, true],
])(
  'with %j, %s is items %i to %i, more: %s',
  async (answers, query, from, to, hasMore) => {
    await using service = await startAskedService(answers);
    const whole = ids(await service.ask<Messages>(everything));

    const page = await service.ask<Messages>(
      `${list}&${query((index) => whole[index] ?? '')}`,
    );

    expect(ids(page)).toEqual(whole.slice(from, to));
    expect(page.body.has_more).toBe(hasMore);
  },
);

test('conversations are paged like messages, within their filter', async () => {
  await using service = await startAskedService({ paging: 'starting_after' });
  const muted = 'GET /v1/conversations?muted=true';
  const whole = ids(await service.ask<List<Conversation>>(`${muted}&limit=100`));

  const page = await service.ask<List<Conversation>>(
    `${muted}&starting_after=${whole[1]}`,
  );

  expect(ids(page)).toEqual(whole.slice(2));
});

test.each<[Answers['unknownCursor'], number, string]>([
  [400, 400, 'an error'],
  [404, 404, 'an error'],
  ['empty', 200, 'an empty page'],
  ['first', 200, 'the first page'],
])(
  'with unknownCursor=%s a cursor that is gone gets %i, %s',
  async (unknownCursor, status, got) => {
    await using service = await startAskedService({
      paging: 'starting_after',
      unknownCursor,
    });
    const first = await service.ask<Messages>(list);

    const pages = await Promise.all(
      ['starting_after', 'ending_before'].map((param) =>
        service.ask<Messages>(`${list}&${param}=gone`),
      ),
    );

    const expected = {
      'an error': { error: { code: 'invalid_request', message: expect.any(String) } },
      'an empty page': { has_more: false, data: [] },
      'the first page': first.body,
    }[got];
    expect(pages).toMatchObject([
      { status, body: expected },
      { status, body: expected },
    ]);
  },
);

test.each<[Partial<Answers>, string, string]>([
  [{ paging: 'starting_after' }, 'starting_after=', 'starting_after'],
  [{ paging: 'starting_after' }, 'starting_after=gone', 'starting_after'],
  [{ paging: 'starting_after' }, 'ending_before=gone', 'ending_before'],
  [{ paging: 'starting_after' }, 'starting_after=a&ending_before=b', 'ending_before'],
  [{ paging: 'starting_after' }, 'offset=1', 'offset'],
  [
    { paging: 'starting_after', pagingParam: 'after' },
    'starting_after=a',
    'starting_after',
  ],
  [{ paging: 'offset' }, 'offset=-1', 'offset'],
  [{ paging: 'offset' }, 'page=1', 'page'],
  [{ paging: 'page' }, 'page=0', 'page'],
])('with %j, %s is 400 and the error names %s', async (answers, query, named) => {
  await using service = await startAskedService(answers);

  const { status, body } = await service.ask<ErrorBody>(`${list}&${query}`);

  expect(status).toBe(400);
  expect(body.error.message).toContain(named);
});

test.each<[Partial<Answers>, string, number, number]>([
  [{ maxLimit: 50 }, 'limit=50', 200, 50],
  [{ maxLimit: 50 }, 'limit=51', 200, 50],
  [{ maxLimit: 5 }, '', 200, 5],
  [{ maxLimit: 50, aboveMaxLimit: 400 }, 'limit=50', 200, 50],
  [{ maxLimit: 50, aboveMaxLimit: 400 }, 'limit=51', 400, 0],
  [{ maxLimit: 50, aboveMaxLimit: 422 }, 'limit=51', 422, 0],
])('with %j, "%s" is %i with %i items', async (answers, query, status, count) => {
  await using service = await startAskedService(answers);

  const answer = await service.ask<Messages>(`${list}&${query}`.replace(/&$/, ''));

  expect(answer.status).toBe(status);
  expect(answer.body.data?.length ?? 0).toBe(count);
  // A silent cap still says that there is more.
  expect(answer.body.has_more ?? true).toBe(true);
});

test('pages are counted with the limit after the cap', async () => {
  await using service = await startAskedService({ paging: 'page', maxLimit: 20 });
  const first = await service.ask<Messages>(`${list}&limit=40`);

  const second = await service.ask<Messages>(`${list}&limit=40&page=2`);

  expect(ids(first)).toHaveLength(20);
  expect(new Set([...ids(first), ...ids(second)]).size).toBe(40);
});

test('oldest first is newest first, reversed', async () => {
  await using newest = await startAskedService();
  await using oldest = await startAskedService({ order: 'oldest' });

  for (const line of ['GET /v1/messages?limit=9999', 'GET /v1/conversations?limit=999']) {
    const one = ids(await newest.ask<Messages>(line));
    const other = ids(await oldest.ask<Messages>(line));
    expect(other).toEqual(one.toReversed());
  }
});

test('by id is neither', async () => {
  await using service = await startAskedService({ order: 'id' });

  for (const line of ['GET /v1/messages?limit=9999', 'GET /v1/conversations?limit=999']) {
    const answer = await service.ask<List<Message>>(line);
    const times = answer.body.data.map(({ created_at }) => created_at);
    expect(ids(answer)).toEqual(ids(answer).toSorted());
    expect(times).not.toEqual(times.toSorted((a, b) => a - b));
  }
});

test('messages sent within one second stay in the order they were sent', async () => {
  await using service = await startAskedService({ order: 'oldest' });
  const sent: string[] = [];
  for (let count = 0; count < 20; count += 1) {
    const form = `conversation_id=${LISBON}&message=${count}`;
    sent.push((await service.ask<Message>('POST /v1/messages', form)).body.id);
  }

  const all = ids(await service.ask<Messages>(everything));

  expect(all.slice(640)).toEqual(sent);
});
