import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import type { ListBody } from '../../src/embedded/paging.ts';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import { type ErrorBody, LISBON, startTestService } from './service.ts';

const LIST = `GET /v1/messages?conversation_id=${LISBON}`;

const byCursor = { paging: 'starting_after' } as const;
const byOffset = { paging: 'offset' } as const;
const byPage = { paging: 'page' } as const;

// The other pages are those of test/matrix.test.ts and test/trust/fuzz.test.ts.
test.each([
  [7, 4, 7, true],
  [3, 0, 3, false],
  [0, 0, 0, false],
])('before item %i: items %i to %i, has_more %s', async (index, from, to, hasMore) => {
  await using service = await startTestService(byCursor);
  const { body: all } = await service.ask<ListBody<Message>>(`${LIST}&limit=10`);
  const before = all.data[index]?.id;

  const { body } = await service.ask<ListBody<Message>>(
    `${LIST}&limit=3&ending_before=${before}`,
  );

  expect(body).toEqual({ has_more: hasMore, data: all.data.slice(from, to) });
});

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

test('messages of the same second keep the order in which they were sent', async () => {
  await using service = await startTestService({ order: 'oldest' });
  const sent: string[] = [];
  for (let count = 0; count < 20; count += 1) {
    const form = `conversation_id=${LISBON}&message=${count}`;
    sent.push((await service.ask<Message>('POST /v1/messages', form)).body.id);
  }

  const { body } = await service.ask<ListBody<Message>>(`${LIST}&limit=1000`);

  expect(body.data.slice(640).map(({ id }) => id)).toEqual(sent);
});
