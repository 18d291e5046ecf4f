import type { CallerId, CallerOf } from '../rest/caller-id.ts';
import { MissingTokenError } from '../rest/errors.ts';
import { createPlaces } from '../rest/places.ts';
import type { ChangeBus, ChangeNotice } from './bus.ts';
import { createLiveCounts, type LiveCounts } from './counts.ts';
import { LiveOffError, TooManySubscriptionsError } from './errors.ts';
import type { OpenLook } from './look.ts';
import { allConversations, type Source } from './source.ts';
import { Subscriber } from './subscriber.ts';
import { type Clock, createTurns, REAL_CLOCK } from './turns.ts';
import { createWatch, type Watch, type WatchOf } from './watch.ts';

/** Subscriptions to changes of lists. */
export interface Live {
  /** Subscribes a caller to a list, when the state at its start is known. Throws why the list cannot be watched. */
  subscribe<T>(
    source: Source<T>,
    token: string | null,
    address?: string,
  ): Promise<Subscriber<T>>;
  /** A write of this caller touched something: the watches that may show it look as soon as it is their turn. */
  wrote(notice: ChangeNotice, token: string | null): void;
  /** The conversation of a message, if a window of this process shows the message; null otherwise. */
  conversationOf(messageId: string): string | null;
  /** Whether somebody watches conversations, or may do so in another process. */
  watchesConversations(): boolean;
  /** What is watched now, and what has been counted. */
  readonly counts: LiveCounts;
  /** Ends every subscription. */
  stop(): void;
}

export interface LiveOptions {
  /** False: every subscription is refused. */
  readonly isOn: boolean;
  readonly pollMs: number;
  /** Of all callers. One may have four fifths of them. */
  readonly maxSubscriptions: number;
  readonly openLook: OpenLook;
  /** How many looks that follow writes may run at once. */
  readonly looksAtOnce: number;
  readonly bus: ChangeBus;
  /** Later reads with this token join no read that began before. */
  readonly forgetReads: (token: string) => void;
  readonly callerOf: CallerOf;
  readonly clock?: Clock;
}

export function createLive(options: LiveOptions): Live {
  const {
    isOn,
    pollMs,
    openLook,
    bus,
    forgetReads,
    callerOf,
    clock = REAL_CLOCK,
  } = options;
  const places = createPlaces(options.maxSubscriptions);
  /** By token, the watches by the keys of their lists. */
  const watches = new Map<string, Map<string, Watch>>();
  const all = function* () {
    for (const own of watches.values()) yield* own.values();
  };
  const turns = createTurns(options.looksAtOnce, clock);
  const counts = createLiveCounts({
    subscriptions: () => places.taken,
    lookedAt: () => Array.from(all(), ({ lookedAt }) => lookedAt),
    now: clock.now,
  });

  /** The only watch of this list with this token. */
  function watchOf<T>(source: Source<T>, token: string, address?: string): WatchOf<T> {
    const own = watches.get(token) ?? new Map<string, Watch>();
    watches.set(token, own);
    // The key names the list, and so the type of the items.
    const known = own.get(source.key) as WatchOf<T> | undefined;
    if (known !== undefined) return known;
    const watch: WatchOf<T> = createWatch({
      source,
      token,
      look: openLook(source, token, address),
      pollMs,
      clock,
      looked: counts.looked,
      changed: counts.changed,
      tokenRefused: (error) => endAllOf(token, error),
      turns,
      forgetReads: () => forgetReads(token),
      closed() {
        own.delete(source.key);
        if (own.size === 0 && watches.get(token) === own) watches.delete(token);
      },
    });
    own.set(source.key, watch);
    return watch;
  }

  function endAllOf(token: string, error: unknown): void {
    for (const watch of [...(watches.get(token)?.values() ?? [])]) {
      watch.end({ reason: 'refused', error });
    }
  }

  /** Once the service has shown that it accepts the token of a stranger, its place counts as its own; null: it has no room. */
  function keepPlace(before: CallerId): CallerId | null {
    const caller = before.renewed();
    if (caller.share === before.share) return before;
    places.give(before);
    return places.take(caller) ? caller : null;
  }

  bus.listen((notice) => {
    for (const watch of all()) watch.notice(notice, false);
  });

  return {
    counts,
    async subscribe<T>(source: Source<T>, token: string | null, address?: string) {
      if (!isOn) throw new LiveOffError();
      if (token === null) throw new MissingTokenError();
      const before = callerOf(token, address);
      if (!places.take(before)) throw new TooManySubscriptionsError();
      const subscriber = new Subscriber<T>();
      try {
        await watchOf(source, token, address).join(subscriber);
      } catch (error) {
        places.give(before);
        throw error;
      }
      const caller = keepPlace(before);
      if (caller === null) {
        subscriber.end({ reason: 'left', error: null });
        throw new TooManySubscriptionsError();
      }
      subscriber.onEnd(({ reason }) => {
        places.give(caller);
        counts.ended(reason);
      });
      return subscriber;
    },
    wrote(touched, token) {
      const notice = { ...touched, writer: callerOf(token).key };
      for (const watch of watches.get(token ?? '')?.values() ?? []) {
        watch.notice(notice, true);
      }
      bus.publish(notice);
    },
    conversationOf(messageId) {
      for (const watch of all()) {
        const found = watch.conversationOf(messageId);
        if (found !== null) return found;
      }
      return null;
    },
    watchesConversations: () =>
      isOn &&
      (bus.reachesOthers ||
        [...watches.values()].some((own) => own.has(allConversations.key))),
    stop() {
      for (const watch of [...all()]) watch.end({ reason: 'drained', error: null });
    },
  };
}
