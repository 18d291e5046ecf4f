import { expect, test } from 'vitest';
import type { Conversation } from '../../src/messaging/conversation.ts';
import { allConversations } from '../../src/messaging/conversation-fields.ts';
import { messagesOf } from '../../src/messaging/message-changes.ts';
import type { Timestamp } from '../../src/rest/timestamp.ts';
import {
  collect,
  created,
  operationOf,
  settled,
  startLive,
  statusError,
  toMessage,
  toWindow,
  writtenTo,
} from './support.ts';

const toConversation = (id: string): Conversation => ({
  id,
  contactId: 'u1',
  groupId: null,
  pinnedMessageId: null,
  isPinned: false,
  isMuted: false,
  lastActiveAt: 7 as Timestamp,
  lastOpenedAt: null,
  createdAt: 1 as Timestamp,
  archivedAt: null,
});

/** The conversations of all callers, whose fields change only when a test says so. */
function startInbox(ids: string[], options = {}) {
  const state = {
    list: ids.map(toConversation),
    /** What the next polls do instead of answering. */
    trouble: null as (() => Promise<void>) | null,
  };
  const live = startLive(async () => {
    const items = state.list.map((value) => ({ id: value.id, value }));
    await state.trouble?.();
    return {
      items,
      isWhole: true,
      newestEnd: 'head',
      timeOf: ({ lastActiveAt, createdAt }: Conversation) => lastActiveAt ?? createdAt,
    };
  }, options);
  const inbox = async (token: string) =>
    collect(await live.subscribe(allConversations, operationOf(token)));
  return Object.assign(live, { state, inbox });
}

test('each write is told, though the fields of the conversation are the same after it', async () => {
  const live = startInbox(['c1', 'c2']);
  const [ann, ben] = [await live.inbox('ann'), await live.inbox('ben')];
  for (let write = 0; write < 3; write += 1) {
    live.wrote(writtenTo('c2'), 'ann');
    await live.clock.advance(100);
  }
  await live.clock.advance(60_000);

  expect(ann.events).toEqual(['~c2', '~c2', '~c2']);
  expect(ben.events).toEqual(['~c2', '~c2', '~c2']);
});

test('a write that the fields show is told once', async () => {
  const live = startInbox(['c1', 'c2']);
  const { events } = await live.inbox('ben');
  live.state.list = [
    { ...toConversation('c2'), lastActiveAt: 8 as Timestamp },
    toConversation('c1'),
  ];
  live.wrote(writtenTo('c2'), 'ann');
  await live.clock.advance(60_000);

  expect(events).toEqual(['~c2']);
});

test('a write during a poll is told by the next one, which was read after it', async () => {
  const live = startInbox(['c1', 'c2']);
  const { events } = await live.inbox('ben');
  await live.clock.advance(100);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  live.state.trouble = () => promise;
  live.wrote(writtenTo('c1'), 'ann');
  await live.clock.advance(10);
  live.wrote(writtenTo('c1'), 'ann');
  live.wrote(writtenTo('c2'), 'cat');
  release();
  await settled();
  expect(events).toEqual(['~c1']);
  await live.clock.advance(20);

  expect(events).toEqual(['~c1', '~c1', '~c2']);
});

test('a write to a conversation that comes with the poll under way is told at once after it', async () => {
  const live = startInbox(['c1']);
  const { events } = await live.inbox('ben');
  await live.clock.advance(100);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  live.state.trouble = () => promise;
  live.state.list = ['c9', 'c1'].map(toConversation);
  live.wrote(created('c9'), 'ann');
  await live.clock.advance(10);
  live.wrote(writtenTo('c9'), 'ann');
  live.wrote(writtenTo('elsewhere'), 'ann');
  live.state.trouble = null;
  release();
  await settled();
  await live.clock.advance(20);

  expect(events).toEqual(['+c9', '~c9']);
});

test.each([
  ['fails', () => statusError(503)],
  ['is limited', () => statusError(429, 3)],
])('after a poll that %s, the next tells what was written', async (_, toError) => {
  const live = startInbox(['c1', 'c2']);
  const { events } = await live.inbox('ben');
  live.state.trouble = () => Promise.reject(toError());
  live.wrote(writtenTo('c1'), 'ann');
  await live.clock.advance(1000);
  live.wrote(writtenTo('c2'), 'ann');
  await live.clock.advance(10_000);
  expect(events).toEqual([]);

  live.state.trouble = null;
  await live.clock.advance(60_000);

  expect(events).toEqual(['~c1', '~c2']);
});

test('a conversation that the list does not show, or no more, is not told', async () => {
  const live = startInbox(['c1', 'c2']);
  const { events } = await live.inbox('ben');
  await live.clock.advance(100);
  live.wrote(writtenTo('hidden'), 'ann');
  await live.clock.advance(20);
  expect(live.polls).toHaveLength(1);
  // Who wrote may see there what the window does not show.
  live.wrote(writtenTo('hidden'), 'ben');
  await live.clock.advance(20);
  expect(live.polls).toHaveLength(2);
  live.wrote(writtenTo('c2'), 'ann');
  live.state.list = [toConversation('c1')];
  await live.clock.advance(60_000);

  expect(events).toEqual(['-c2']);
});

test('a change of the conversation itself tells nobody whose fields are the same', async () => {
  const live = startInbox(['c1']);
  const { events } = await live.inbox('ben');
  live.wrote([{ type: 'Conversation', id: 'c1', kind: 'changed' }], 'ann');
  await live.clock.advance(60_000);

  expect(live.polls.length).toBeGreaterThan(1);
  expect(events).toEqual([]);
});

test('who subscribes after a write begins with it', async () => {
  const live = startInbox(['c1']);
  const first = await live.subscribe(allConversations, operationOf('ben'));
  live.wrote(writtenTo('c1'), 'ann');
  await first.return();
  await live.clock.advance(60_000);
  const { events } = await live.inbox('ben');
  await live.clock.advance(60_000);

  expect(events).toEqual([]);
});

test('a window shows of each message its conversation', async () => {
  const elsewhere = { ...toMessage('m2', 2), conversationId: 'c2' };
  const live = startLive(() => toWindow([elsewhere, toMessage('m1', 1)], 5));
  collect(await live.subscribe(messagesOf('c7'), operationOf('ann')));

  const owners = ['m1', 'm2', 'm3'].map((id) => live.ownerOf('Message', id));
  expect(owners).toEqual(['c1', 'c2', null]);
});
