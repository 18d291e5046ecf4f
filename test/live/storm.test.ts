import { expect, test } from 'vitest';
import { allConversations } from '../../src/messaging/conversation-fields.ts';
import { messagesOf } from '../../src/messaging/message-changes.ts';
import {
  collect,
  created,
  operationOf,
  startList,
  type TestLive,
  TOUCHED,
  toMessage,
  writtenTo,
} from './support.ts';

/** Lists that have one message more after each write. */
function startLists() {
  let sent = 0;
  const live = startList();
  return Object.assign(live, {
    /** Subscribes `count` tokens, `prefix0` and on, each to the messages of a conversation. */
    async watchers(count: number, prefix: string, conversation = 'c1') {
      const names = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
      const lives = names.map((name) =>
        live.subscribe(messagesOf(conversation), operationOf(name)),
      );
      return (await Promise.all(lives)).map(collect);
    },
    write(writer: string, conversation = 'c1') {
      sent += 1;
      live.list.items = [toMessage(`m${sent}`, sent + 1), ...live.list.items].slice(0, 5);
      live.wrote(writtenTo(conversation), writer);
    },
  });
}

/** How many polls began within a time. Unit: milliseconds. */
const pollsBetween = ({ polls }: TestLive, from: number, to: number): number =>
  polls.filter(({ at }) => at >= from && at <= to).length;

/** How long after a time a token polled. Unit: milliseconds. */
const polledAfter = ({ polls }: TestLive, name: string, time: number): number =>
  (polls.find(({ at, token }) => token === name && at >= time)?.at ?? Number.NaN) - time;

test('after a write, thirty watchers poll at once and the others in turn, each once', async () => {
  const live = startLists();
  const watchers = await live.watchers(100, 'w');
  await live.clock.advance(100);
  live.write('ann');
  await live.clock.advance(1000);

  expect(pollsBetween(live, 100, 100)).toBe(30);
  expect(pollsBetween(live, 101, 200)).toBeLessThanOrEqual(16);
  expect(pollsBetween(live, 100, 600)).toBe(100);
  expect(live.polls).toHaveLength(200);
  for (const { events } of watchers) expect(events).toEqual(['+m1']);
});

// security: endless-writes
test('a storm of writes makes 150 polls a second, and everybody sees the last one', async () => {
  const live = startLists();
  const watchers = await live.watchers(100, 'w');
  await live.clock.advance(100);
  for (let ms = 0; ms < 1000; ms += 2) {
    live.write('ann');
    await live.clock.advance(2);
  }
  const during = pollsBetween(live, 100, 1100);
  await live.clock.advance(1000);

  expect(during).toBeGreaterThan(170);
  expect(during).toBeLessThanOrEqual(181);
  for (const { events } of watchers) expect(events).toContain('+m500');
});

// security: endless-writes
test('a storm of one writer delays no poll that another causes', async () => {
  const live = startLists();
  await live.watchers(100, 'w');
  await live.watchers(1, 'other', 'c2');
  for (let ms = 0; ms < 1000; ms += 2) {
    live.write('ann');
    if (ms % 100 === 50) live.write('ben', 'c2');
    await live.clock.advance(2);
  }

  for (let ms = 50; ms < 1000; ms += 100)
    expect(polledAfter(live, 'other0', ms)).toBeLessThanOrEqual(20);
});

test("a writer's own watches poll before those of others", async () => {
  const live = startLists();
  await live.watchers(100, 'w');
  await live.watchers(1, 'ann');
  for (let ms = 0; ms < 500; ms += 10) {
    live.write('ann0');
    await live.clock.advance(10);
  }
  const own = live.polls.filter(({ token }) => token === 'ann0');

  expect(own.length).toBeGreaterThanOrEqual(15);
});

// security: endless-subscriptions
test('lists that do not answer take no turn from those of another writer', async () => {
  const live = startList({ pollsAtOnce: 10 });
  for (let count = 0; count < 50; count += 1)
    await live.subscribe(messagesOf('c1'), operationOf(`slow${count}`));
  await live.subscribe(messagesOf('c2'), operationOf('well'));
  live.list.trouble = async (token) => {
    if (token.startsWith('slow')) await new Promise(() => {});
  };
  await live.clock.advance(1000);
  live.wrote(TOUCHED, 'ann');
  await live.clock.advance(500);
  expect(pollsBetween(live, 1000, 1500)).toBe(8);

  live.wrote(writtenTo('c2'), 'ben');
  await live.clock.advance(20);

  expect(polledAfter(live, 'well', 1500)).toBeLessThanOrEqual(10);
});

test('watches that begin and end while they wait leave nothing in line', async () => {
  const live = startLists();
  const names = Array.from({ length: 100 }, (_, index) => `w${index}`);
  const subscribers = await Promise.all(names.map((name) => live.watch(name)));
  await live.clock.advance(100);
  live.write('ann');
  await live.clock.advance(0);
  for (const subscriber of subscribers) await subscriber.return();
  await live.clock.advance(60_000);

  expect(live.polls).toHaveLength(130);
});

test('a new conversation is polled for by all who watch conversations, its creator first', async () => {
  const live = startLists();
  for (let count = 0; count < 100; count += 1)
    await live.subscribe(allConversations, operationOf(`w${count}`));
  await live.clock.advance(100);
  live.wrote(created('c9'), 'w99');
  await live.clock.advance(0);
  expect(live.polls.slice(100).map(({ token }) => token)).toContain('w99');
  expect(live.polls).toHaveLength(130);
  await live.clock.advance(600);

  expect(new Set(live.polls.slice(100).map(({ token }) => token)).size).toBe(100);
  expect(live.polls).toHaveLength(200);
});

test('all who create conversations have the turns of one writer', async () => {
  const live = startLists();
  for (let count = 0; count < 100; count += 1)
    await live.subscribe(allConversations, operationOf(`w${count}`));
  await live.watchers(1, 'other', 'c2');
  await live.clock.advance(100);
  for (let count = 0; count < 20; count += 1)
    live.wrote(created('c9'), `creator${count}`);
  await live.clock.advance(10);
  live.write('ben', 'c2');
  await live.clock.advance(100);

  expect(polledAfter(live, 'other0', 110)).toBeLessThanOrEqual(20);
});
