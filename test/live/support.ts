import { setImmediate as nextPhase } from 'node:timers/promises';
import { Cancellation, type Signal } from '../../src/callers/abort.ts';
import type { CallerOf } from '../../src/callers/caller-id.ts';
import { ByteQuota } from '../../src/callers/shares.ts';
import { createLive, type LiveOptions, type Subscribing } from '../../src/live/live.ts';
import { createBus, type Touch } from '../../src/live/notice.ts';
import type { CreatePoll } from '../../src/live/poll.ts';
import type { Change } from '../../src/live/snapshot.ts';
import type { Subscriber } from '../../src/live/subscriber.ts';
import type { Window } from '../../src/live/window.ts';
import type { Conversation } from '../../src/messaging/conversation.ts';
import type { Message } from '../../src/messaging/message.ts';
import { messagesOf } from '../../src/messaging/message-changes.ts';
import type { NewestEnd } from '../../src/paging/newest-end.ts';
import { Later } from '../../src/rest/decode.ts';
import { RestStatusError } from '../../src/rest/errors.ts';
import type { Timestamp } from '../../src/rest/timestamp.ts';
import { accepted } from '../support/callers.ts';

/** A clock that stands still until a test moves it on. */
function createTestClock() {
  let time = 0;
  let due: { readonly at: number; readonly step: () => void }[] = [];
  return {
    now: () => time,
    after(ms: number, step: () => void) {
      const entry = { at: time + ms, step };
      due.push(entry);
      return () => {
        due = due.filter((one) => one !== entry);
      };
    },
    /** Moves on, runs what is due in its order, and waits for what that begins. */
    async advance(ms: number) {
      const end = time + ms;
      for (;;) {
        const [next] = due
          .filter(({ at }) => at <= end)
          .toSorted((one, other) => one.at - other.at);
        if (next === undefined) break;
        due = due.filter((one) => one !== next);
        time = Math.max(time, next.at);
        next.step();
        await settled();
      }
      time = end;
      await settled();
    },
  };
}

/** Waits until nothing more happens without the clock. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await nextPhase();
}

const nothing = new Later<readonly never[]>([], {
  field: '',
  call: null as never,
  read: () => [],
});

/** A message of the service, with what the tests look at. */
export const toMessage = (id: string, time: number, text = 'text') =>
  ({
    id,
    conversationId: 'c1',
    contact: {
      id: 'u1',
      username: 'ann',
      phoneNumber: null,
      avatarUrl: null,
      lastActiveAt: null,
      createdAt: 1 as Timestamp,
    },
    message: text,
    reactions: nothing,
    attachments: nothing,
    readAt: null,
    createdAt: time as Timestamp,
    updatedAt: null,
  }) as Message;

export const timeOf = ({ createdAt }: Message): number => createdAt;

/** The newest messages of a whole list, as a poll shows them. */
export function toWindow(
  list: readonly Message[],
  size: number,
  newestEnd: NewestEnd = 'head',
): Window<Message> {
  const shown = newestEnd === 'head' ? list.slice(0, size) : list.slice(-size);
  const items = shown.map((value) => ({ id: value.id, value }));
  return { items, isWhole: list.length <= size, newestEnd, timeOf };
}

/** The error of an answer with this status. */
export const statusError = (status: number, retryAfterSeconds: number | null = null) =>
  new RestStatusError(
    { method: 'GET', route: '/v1/messages' },
    { status, body: null, words: null, retryAfterSeconds },
  );

/** The changes that have come to a subscriber, `+a`, `~b` and `-c`, and how it ended. */
export function collect(subscriber: Subscriber<unknown>) {
  const events: string[] = [];
  const collected = { events, error: null as unknown, isEnded: false };
  void (async () => {
    try {
      for await (const change of subscriber) events.push(toText(change));
    } catch (error) {
      collected.error = error;
    }
    collected.isEnded = true;
  })();
  return collected;
}

const MARKS = { CREATED: '+', UPDATED: '~', DELETED: '-' };
export const toText = ({ kind, id }: Change<unknown>): string => MARKS[kind] + id;

/** An operation that subscribes; by default its client stays. */
export const operationOf = (
  token: string | null,
  signal: Signal = new Cancellation(),
  callerOf: CallerOf = accepted,
): Subscribing => ({ caller: callerOf(token), signal });

type Shown = Window<Message> | Window<Conversation> | null;

interface TestLiveOptions extends Partial<LiveOptions> {
  /** Default: the service has accepted every token. */
  readonly callerOf?: CallerOf;
}

/** Watches of c1 that read with `poll`, on a clock of their own. */
export function startLive(
  poll: (token: string, key: string, end: Cancellation) => Promise<Shown> | Shown,
  { callerOf = accepted, ...options }: TestLiveOptions = {},
) {
  const clock = createTestClock();
  const bus = createBus();
  /** When each poll began, and with which token. */
  const polls: { readonly at: number; readonly token: string }[] = [];
  const createPoll = (({ key }, { token }) =>
    async (end) => {
      polls.push({ at: clock.now(), token });
      return poll(token, key, end);
    }) as CreatePoll;
  const live = createLive({
    isOn: true,
    pollMs: 2000,
    maxSubscriptions: 10_000,
    bytes: new ByteQuota({ inAll: 1_000_000, oneCaller: 1_000_000 }),
    createPoll,
    pollsAtOnce: 1000,
    bus,
    forgetReads: () => {},
    clock,
    ...options,
  });
  return {
    ...live,
    clock,
    bus,
    polls,
    /** Subscribes to the messages of c1. */
    watch: (token = 'ann', signal?: Signal) =>
      live.subscribe(messagesOf('c1'), operationOf(token, signal, callerOf)),
    /** The owner of this token wrote. */
    wrote: (touches: readonly Touch[], token: string) =>
      live.wrote(touches, accepted(token)),
  };
}
export type TestLive = ReturnType<typeof startLive>;

/** Watches of a list of messages that all tokens see; at first it has `a` alone. */
export function startList(options: TestLiveOptions = {}) {
  const list = {
    items: [toMessage('a', 1)] as readonly Message[],
    /** Whether the service knows the conversation. */
    isThere: true,
    /** What polls throw, or wait for, before they answer. */
    trouble: (_token: string): Promise<void> | void => {},
    add(id: string) {
      list.items = [toMessage(id, list.items.length + 1), ...list.items];
    },
  };
  const live = startLive(async (token) => {
    const window = list.isThere ? toWindow(list.items, 100) : null;
    await list.trouble(token);
    return window;
  }, options);
  return Object.assign(live, { list });
}

export const throwing = (error: unknown) => () => {
  throw error;
};

/** Messages of a conversation were sent, edited or deleted. */
export const writtenTo = (id: string): Touch[] => [
  { type: 'Conversation', id, kind: 'within' },
];

/** A write touched the messages of c1. */
export const TOUCHED = writtenTo('c1');

export const created = (id: string): Touch[] => [
  { type: 'Conversation', id, kind: 'created' },
];
