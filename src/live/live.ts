import type { Signal } from '../callers/abort.ts';
import type { CallerId } from '../callers/caller-id.ts';
import { type ByteQuota, FairSlots } from '../callers/shares.ts';
import { MissingTokenError } from '../rest/errors.ts';
import { type Clock, REAL_CLOCK } from './clock.ts';
import { LiveOffError, TooManySubscriptionsError } from './errors.ts';
import type { ChangeBus, Touch } from './notice.ts';
import type { CreatePoll } from './poll.ts';
import { readResumeToken } from './resume.ts';
import type { Change } from './snapshot.ts';
import { type EndReason, Subscriber } from './subscriber.ts';
import { createTurns } from './turns.ts';
import { createWatch, type PollOutcome, type Watch } from './watch.ts';
import type { WatchedList } from './watched-list.ts';

/** Subscriptions to changes of lists. */
export interface Live {
  /** Subscribes an operation to a list, when the state at its start is known. Throws why the list cannot be watched. */
  subscribe<T>(
    source: WatchedList<T>,
    operation: Subscribing,
    resuming?: Resuming,
  ): Promise<Subscriber<T>>;
  /** A write of this caller touched something: the watches that may show it poll as soon as it is their turn. */
  wrote(touches: readonly Touch[], caller: CallerId): void;
  /** The id of the object that an item of a watched list belongs to; null if none shows the item in this process. */
  ownerOf(typeName: string, id: string): string | null;
  /** Whether somebody watches this list, or may do so in another process. */
  mayBeWatched(source: Pick<WatchedList<unknown>, 'key'>): boolean;
  /** What is watched now, and what has been counted. */
  readonly counts: LiveCounts;
  /** Ends every subscription. */
  stop(): void;
}

/** The operation that subscribes. */
export interface Subscribing {
  readonly caller: CallerId;
  /** Aborted when its client has left, or its time is up: then it does not begin. */
  readonly signal: Signal;
}

/** From where a subscription goes on, and whether it may be gone on with later. */
interface Resuming {
  /** A resume token. Throws BadInputError if it is not of this list, PageOutOfReachError if the window may not show all that changed. */
  readonly from?: string | null | undefined;
  readonly isResumable: boolean;
}

/** What the watches have done, for metrics. Every label comes from a closed set. */
interface LiveCounts {
  subscriptions(): number;
  /** How many lists are watched, each for one caller. */
  watches(): number;
  /** How long ago the watch that has waited longest had its last good poll. Unit: seconds. */
  oldestPollSeconds(): number;
  /** Polls by how they ended, changes by their kind, ended subscriptions by the reason. */
  readonly polls: ReadonlyMap<PollOutcome, number>;
  readonly changes: ReadonlyMap<Change<unknown>['kind'], number>;
  readonly ends: ReadonlyMap<EndReason, number>;
}

export interface LiveOptions {
  /** False: every subscription is refused. */
  readonly isOn: boolean;
  readonly pollMs: number;
  /** Of all callers. One may have four fifths of them. */
  readonly maxSubscriptions: number;
  /** The quota of waiting changes, and of all else that open subscriptions keep. */
  readonly bytes: ByteQuota;
  readonly createPoll: CreatePoll;
  /** How many polls that follow writes may run at once. */
  readonly pollsAtOnce: number;
  readonly bus: ChangeBus;
  /** Later reads of this caller join no read that began before. */
  readonly forgetReads: (name: string) => void;
  readonly clock?: Clock;
}

export function createLive(options: LiveOptions): Live {
  const { isOn, pollMs, createPoll, bus, clock = REAL_CLOCK } = options;
  const places = new FairSlots(options.maxSubscriptions);
  /** By caller, the watches by the keys of their lists. */
  const watches = new Map<string, Map<string, Watch<unknown>>>();
  const all = function* () {
    for (const own of watches.values()) yield* own.values();
  };
  const turns = createTurns(options.pollsAtOnce, clock);
  const polls = new Map<PollOutcome, number>();
  const changes = new Map<Change<unknown>['kind'], number>();
  const ends = new Map<EndReason, number>();

  /** The only watch of this list for this caller. */
  function watchOf<T>(source: WatchedList<T>, caller: CallerId): Watch<T> {
    const { name } = caller;
    const own = watches.get(name) ?? new Map<string, Watch<unknown>>();
    watches.set(name, own);
    // The key names the list, and so the type of the items.
    const known = own.get(source.key) as Watch<T> | undefined;
    if (known !== undefined) return known;
    const watch = createWatch({
      source,
      poll: createPoll(source, caller),
      pollMs,
      clock,
      turns,
      polled(outcome, found) {
        count(polls, outcome);
        for (const { kind } of found) count(changes, kind);
      },
      tokenRefused: (error) => endAllOf(name, error),
      forgetReads: () => options.forgetReads(name),
      closed() {
        own.delete(source.key);
        if (own.size === 0 && watches.get(name) === own) watches.delete(name);
      },
    });
    own.set(source.key, watch);
    return watch;
  }

  function endAllOf(name: string, error: unknown): void {
    for (const watch of [...(watches.get(name)?.values() ?? [])])
      watch.end({ reason: 'refused', error });
  }

  /** Moves a subscription to its caller's own share once the service has accepted the token; null: no room there. */
  function keepPlace(before: CallerId): CallerId | null {
    const caller = before.renewed();
    if (caller.share === before.share) return before;
    places.release(before);
    return places.acquire(caller) ? caller : null;
  }

  function oldestPollSeconds(): number {
    const now = clock.now();
    let oldest = now;
    for (const { polledAt } of all()) oldest = Math.min(oldest, polledAt ?? now);
    return (now - oldest) / 1000;
  }

  bus.listen((notice) => {
    for (const watch of all()) watch.notice(notice, false);
  });

  return {
    counts: {
      subscriptions: () => places.taken,
      watches: () => [...all()].length,
      oldestPollSeconds,
      polls,
      changes,
      ends,
    },
    async subscribe<T>(
      source: WatchedList<T>,
      { caller: before, signal }: Subscribing,
      { from, isResumable }: Resuming = { isResumable: false },
    ) {
      if (!isOn) throw new LiveOffError();
      if (before.name === '') throw new MissingTokenError();
      const state = from == null ? null : readResumeToken(from, source);
      if (!places.acquire(before)) throw new TooManySubscriptionsError();
      // It runs when the service has accepted the token.
      const open = () =>
        new Subscriber<T>(options.bytes, before.renewed().share, isResumable);
      const joined = watchOf(source, before).join(open, signal, state);
      const subscriber = await joined.catch((error) => {
        places.release(before);
        throw error;
      });
      const caller = keepPlace(before);
      if (caller === null) {
        subscriber.end({ reason: 'left', error: null });
        throw new TooManySubscriptionsError();
      }
      subscriber.onEnd(({ reason }) => {
        places.release(caller);
        count(ends, reason);
      });
      return subscriber;
    },
    wrote(touches, caller) {
      const notice = { touches, writer: caller.key };
      for (const watch of watches.get(caller.name)?.values() ?? []) {
        watch.notice(notice, true);
      }
      bus.publish(notice);
    },
    ownerOf(typeName, id) {
      for (const watch of all()) {
        const found = watch.ownerOf(typeName, id);
        if (found !== null) return found;
      }
      return null;
    },
    mayBeWatched: ({ key }) =>
      isOn && (bus.reachesOthers || [...watches.values()].some((own) => own.has(key))),
    stop() {
      for (const watch of [...all()]) watch.end({ reason: 'drained', error: null });
    },
  };
}

const count = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};
