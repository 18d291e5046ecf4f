import { expect, test } from 'vitest';
import { createRandom, type Random } from '../../src/embedded/sample/random.ts';
import { readResumeToken, withResumePoints } from '../../src/live/resume.ts';
import { type Change, compare, toSnapshot } from '../../src/live/snapshot.ts';
import type { Subscriber } from '../../src/live/subscriber.ts';
import type { Message } from '../../src/messaging/message.ts';
import { messagesOf } from '../../src/messaging/message-changes.ts';
import { PageOutOfReachError } from '../../src/paging/errors.ts';
import type { NewestEnd } from '../../src/paging/newest-end.ts';
import { operationOf, startLive, toMessage, toWindow } from './support.ts';

/** How many of the newest messages a poll reads. */
const SIZE = 20;

/** A conversation that others write to, and two replicas that watch it. */
function startWorld(newestEnd: NewestEnd) {
  /** The newest first. */
  let items: readonly Message[] = [];
  let time = 0;
  const window = () =>
    toWindow(newestEnd === 'head' ? items : items.toReversed(), SIZE, newestEnd);
  const replicas = [startLive(window), startLive(window)];
  return {
    window,
    newest: () => items.slice(0, SIZE),
    create() {
      time += 1;
      items = [toMessage(`m${time}`, time), ...items];
    },
    edit(at: number) {
      time += 1;
      items = items.with(at, { ...(items[at] as Message), message: `text ${time}` });
    },
    delete(at: number) {
      items = items.toSpliced(at, 1);
    },
    count: () => items.length,
    subscribe: (replica: number, from: string | null) =>
      (replicas[replica] as (typeof replicas)[0]).subscribe(
        messagesOf('c1'),
        operationOf('ann'),
        { from, isResumable: true },
      ),
    advance: (ms: number) => Promise.all(replicas.map(({ clock }) => clock.advance(ms))),
  };
}
type World = ReturnType<typeof startWorld>;

function changeAtRandom(world: World, random: Random): void {
  for (let count = random.below(5); count > 0; count -= 1) {
    const what = world.count() === 0 ? 0 : random.below(4);
    if (what < 2) world.create();
    else if (what === 2) world.edit(random.below(Math.min(SIZE, world.count())));
    else world.delete(random.below(Math.min(SIZE, world.count())));
  }
}

/** A client, with the messages that it shows by id. An event that is no news to it is a mistake. */
function createClient() {
  const shown = new Map<string, string>();
  const gone = new Set<string>();
  let token: string | null = null;
  return {
    shown,
    token: () => token,
    read(messages: readonly Message[]) {
      token = null;
      shown.clear();
      for (const { id, message } of messages) shown.set(id, message);
    },
    /** Reads `most` events, and leaves. */
    async follow(subscriber: Subscriber<Message>, most = Number.POSITIVE_INFINITY) {
      let count = 0;
      for await (const change of subscriber) {
        this.take(change);
        count += 1;
        if (count >= most) return;
      }
    },
    take({ kind, id, value, resumePoint }: Change<Message>) {
      const text = value instanceof Error ? undefined : value?.message;
      // An older one may come into the window unseen, when another is deleted.
      const isNews =
        kind === 'CREATED'
          ? !shown.has(id)
          : !gone.has(id) && (kind === 'DELETED' || text !== shown.get(id));
      expect([kind, id, isNews]).toEqual([kind, id, true]);
      if (text !== undefined) shown.set(id, text);
      else {
        shown.delete(id);
        gone.add(id);
      }
      token = resumePoint?.token ?? null;
    },
  };
}

test.each([
  ['head', 17],
  ['tail', 18],
] as const)(
  'after 500 cuts at random moments, a client has missed nothing and got nothing twice: newest at the %s',
  async (newestEnd, seed) => {
    const random = createRandom(seed);
    const world = startWorld(newestEnd);
    const client = createClient();
    const counts = { resumed: 0, outOfReach: 0 };

    async function connect() {
      const from = client.token();
      if (from !== null) {
        try {
          const subscriber = await world.subscribe(random.below(2), from);
          counts.resumed += 1;
          return subscriber;
        } catch (error) {
          expect(error).toBeInstanceOf(PageOutOfReachError);
          counts.outOfReach += 1;
        }
      }
      const subscriber = await world.subscribe(random.below(2), null);
      client.read(world.newest());
      return subscriber;
    }

    for (let cut = 0; cut < 500; cut += 1) {
      const subscriber = await connect();
      const reading = client.follow(subscriber, random.below(12));
      for (let round = random.below(3); round > 0; round -= 1) {
        changeAtRandom(world, random);
        await world.advance(random.below(2000));
      }
      await subscriber.return();
      await reading;
      for (let round = random.below(3); round > 0; round -= 1)
        changeAtRandom(world, random);
      await world.advance(random.below(300_000));
    }
    const last = await connect();
    const reading = client.follow(last);
    await world.advance(16_000);
    await last.return();
    await reading;

    for (const { id, message } of world.newest())
      expect([id, client.shown.get(id)]).toEqual([id, message]);
    expect(counts.resumed).toBeGreaterThan(200);
    // More may come during a cut than the window has.
    expect(counts.outOfReach).toBeLessThan(20);
  },
);

test('a token in the middle of a poll holds its items in the order of the list, the oldest first', () => {
  const window = (ids: string) =>
    toWindow(
      [...ids].map((id) => toMessage(id, id.charCodeAt(0))),
      3,
      'tail',
    );
  const [before, now] = [window('ab'), window('bcde')];
  const polled = {
    before: toSnapshot(before),
    now: toSnapshot(now),
    window: now,
    isWritten: () => false,
  };
  const source = { key: 'k' };
  const orders = withResumePoints(compare(polled), polled, source.key).map(
    ({ resumePoint }) =>
      [...readResumeToken(resumePoint?.token ?? '', source).items.keys()].join(''),
  );

  expect(orders).toEqual(['abc', 'abcd', 'cde']);
});
