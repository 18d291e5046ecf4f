import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import type { ListBody } from '../../src/embedded/paging.ts';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import { type ErrorBody, LISBON, startTestService } from './service.ts';

const LIST = `GET /v1/messages?conversation_id=${LISBON}`;
const EVERYTHING = `${LIST}&limit=1000`;

const ids = ({ body }: { body: ListBody<{ id: string }> }) =>
  body.data.map(({ id }) => id);

const byCursor = { paging: 'starting_after' } as const;
const byOffset = { paging: 'offset' } as const;
const byPage = { paging: 'page' } as const;

/** `ID` in a query is the id of the message with the given index. */
test.each<
  [Partial<Answers>, query: string, ID: number, from: number, to: number, boolean]
>([
  [byCursor, 'limit=3&starting_after=ID', 4, 5, 8, true],
  [byCursor, 'limit=3&starting_after=ID', 636, 637, 640, false],
  [byCursor, 'limit=3&starting_after=ID', 639, 640, 640, false],
  [byCursor, 'limit=3&ending_before=ID', 7, 4, 7, true],
  [byCursor, 'limit=3&ending_before=ID', 3, 0, 3, false],
  [byCursor, 'limit=3&ending_before=ID', 0, 0, 0, false],
  [{ ...byCursor, pagingParam: 'after' }, 'after=ID', 4, 5, 15, true],
  [{ ...byCursor, pagingBackParam: 'before' }, 'limit=2&before=ID', 4, 2, 4, true],
  [byOffset, 'limit=3&offset=5', 0, 5, 8, true],
  [byOffset, 'limit=3&offset=637', 0, 637, 640, false],
  [byOffset, 'limit=3&offset=700', 0, 640, 640, false],
  [{ ...byOffset, pagingParam: 'skip' }, 'skip=5', 0, 5, 15, true],
  [byPage, 'limit=3&page=3', 0, 6, 9, true],
  [byPage, 'limit=320&page=2', 0, 320, 640, false],
  [{ ...byPage, pagingParam: 'p' }, 'p=2', 0, 10, 20, true],
])(
  '%j, %s (ID: %i): items %i to %i, has_more %s',
  async (answers, query, index, from, to, hasMore) => {
    await using service = await startTestService(answers);
    const all = ids(await service.ask<ListBody<Message>>(EVERYTHING));

    const page = await service.ask<ListBody<Message>>(
      `${LIST}&${query.replace('ID', all[index] ?? '')}`,
    );

    expect(ids(page)).toEqual(all.slice(from, to));
    expect(page.body.has_more).toBe(hasMore);
  },
);

test.each(['messages', 'conversations'])(
  'a list has ten %s by default, the newest first, and more follow',
  async (name) => {
    await using service = await startTestService();

    const { body } = await service.ask<ListBody<Conversation>>(`GET /v1/${name}`);

    const times = body.data.map((one) => one.last_active_at ?? one.created_at);
    expect(body.has_more).toBe(true);
    expect(times).toHaveLength(10);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  },
);

test('conversations are paged like messages, with their filter', async () => {
  await using service = await startTestService(byCursor);
  const muted = 'GET /v1/conversations?muted=true';
  const whole = ids(await service.ask<ListBody<Conversation>>(`${muted}&limit=100`));

  const page = await service.ask<ListBody<Conversation>>(
    `${muted}&starting_after=${whole[1]}`,
  );

  expect(ids(page)).toEqual(whole.slice(2));
});

const REFUSED = { error: { code: 'invalid_request', message: expect.any(String) } };

/** The body; null: the first page. */
test.each<[Answers['unknownCursor'], number, object | null]>([
  [400, 400, REFUSED],
  [404, 404, REFUSED],
  ['empty', 200, { has_more: false, data: [] }],
  ['first', 200, null],
])('with unknownCursor=%s one gets %i: %j', async (answer, status, body) => {
  await using service = await startTestService({ ...byCursor, unknownCursor: answer });
  const first = await service.ask<ListBody<Message>>(LIST);

  for (const param of ['starting_after', 'ending_before']) {
    const page = await service.ask(`${LIST}&${param}=gone`);
    expect(page).toMatchObject({ status, body: body ?? first.body });
  }
});

test.each<[Partial<Answers>, string, string]>([
  [byCursor, 'starting_after=a&ending_before=b', 'ending_before'],
  [byCursor, 'offset=1', 'offset'],
  [{ ...byCursor, pagingParam: 'after' }, 'starting_after=a', 'starting_after'],
  [byOffset, 'offset=-1', 'offset'],
  [byPage, 'page=0', 'page'],
])('with %j, %s gets 400 and names %s', async (answers, query, named) => {
  await using service = await startTestService(answers);

  const { status, body } = await service.ask<ErrorBody>(`${LIST}&${query}`);

  expect(status).toBe(400);
  expect(body.error.message).toContain(named);
});

test.each<[Partial<Answers>, string, number, number]>([
  [{ maxLimit: 50 }, 'limit=51', 200, 50],
  [{ maxLimit: 5 }, '', 200, 5],
  [{ maxLimit: 50, aboveMaxLimit: 400 }, 'limit=50', 200, 50],
  [{ maxLimit: 50, aboveMaxLimit: 422 }, 'limit=51', 422, 0],
])('with %j, "%s" gets %i with %i items', async (answers, query, status, count) => {
  await using service = await startTestService(answers);

  const line = `${LIST}&${query}`.replace(/&$/, '');
  const response = await service.ask<ListBody<Message>>(line);

  expect(response.status).toBe(status);
  expect(response.body.data?.length ?? 0).toBe(count);
  // A silent cap still announces more items.
  expect(response.body.has_more ?? true).toBe(true);
});

test('page numbers count pages of the capped limit', async () => {
  await using service = await startTestService({ paging: 'page', maxLimit: 20 });
  const first = await service.ask<ListBody<Message>>(`${LIST}&limit=40`);
  const second = await service.ask<ListBody<Message>>(`${LIST}&limit=40&page=2`);

  expect(new Set([...ids(first), ...ids(second)]).size).toBe(40);
});

test('the order oldest is the reverse of newest, and the order id that of the ids', async () => {
  await using newest = await startTestService();
  await using oldest = await startTestService({ order: 'oldest' });
  await using byId = await startTestService({ order: 'id' });

  for (const line of ['GET /v1/messages?limit=9999', 'GET /v1/conversations?limit=999']) {
    const one = ids(await newest.ask<ListBody<Message>>(line));
    const other = ids(await oldest.ask<ListBody<Message>>(line));
    expect(other).toEqual(one.toReversed());
    expect(ids(await byId.ask<ListBody<Message>>(line))).toEqual(one.toSorted());
    expect(one).not.toEqual(one.toSorted());
  }
});

test('messages of the same second keep the order in which they were sent', async () => {
  await using service = await startTestService({ order: 'oldest' });
  const sent: string[] = [];
  for (let count = 0; count < 20; count += 1) {
    const form = `conversation_id=${LISBON}&message=${count}`;
    sent.push((await service.ask<Message>('POST /v1/messages', form)).body.id);
  }

  const all = ids(await service.ask<ListBody<Message>>(EVERYTHING));

  expect(all.slice(640)).toEqual(sent);
});
