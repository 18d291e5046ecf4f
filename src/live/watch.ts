import { Cancellation, IS_OVER, type Signal, unlessAborted } from '../callers/abort.ts';
import { PageOutOfReachError } from '../paging/errors.ts';
import { OverloadedError, RestStatusError } from '../rest/errors.ts';
import { FORBIDDEN, isTransient, RATE_LIMITED, UNAUTHORIZED } from '../rest/status.ts';
import type { Clock } from './clock.ts';
import { LateStartError, NoNewestEndError, NothingToWatchError } from './errors.ts';
import type { Notice } from './notice.ts';
import type { Poll } from './poll.ts';
import { missedSince, withResumePoints } from './resume.ts';
import { type Change, compare, type Snapshot, toSnapshot } from './snapshot.ts';
import type { End, Subscriber } from './subscriber.ts';
import type { WriterTurns } from './turns.ts';
import type { WatchedList } from './watched-list.ts';
import type { Window } from './window.ts';
import { Writers } from './writers.ts';

/** One list that is watched with one token, for all its subscribers. */
export interface Watch<T> {
  /**
   * Opens a subscriber when the state at its start is known; throws what the first poll threw, or that `signal` was aborted before.
   * `from`: an earlier state. Then its first events are what changed since, or it throws PageOutOfReachError.
   */
  join(
    open: () => Subscriber<T>,
    signal: Signal,
    from: Snapshot | null,
  ): Promise<Subscriber<T>>;
  /** Polls at the writer's next turn if a write touched the list. `isOwn`: it was made with the token of this watch. */
  notice(notice: Notice, isOwn: boolean): void;
  /** The id of the object that an item belongs to; null if the window does not show the item, or it is not known. */
  ownerOf(typeName: string, id: string): string | null;
  /** When the last poll succeeded, on the clock of the watch; null before. Unit: milliseconds. */
  readonly polledAt: number | null;
  end(end: End): void;
}

/** How a poll ended. `delayed`: the service limits the rate, or is spared. */
export type PollOutcome = 'changed' | 'same' | 'failed' | 'delayed' | 'refused';

export interface WatchOptions<T> {
  readonly source: WatchedList<T>;
  readonly poll: Poll<T>;
  /** The least time between two regular polls, without those after a write. Unit: milliseconds. */
  readonly pollMs: number;
  readonly clock: Clock;
  readonly turns: WriterTurns;
  readonly polled: (outcome: PollOutcome, changes: readonly Change<T>[]) => void;
  /** The service no longer accepts the token, so all its watches are over. */
  readonly tokenRefused: (error: unknown) => void;
  /** Later reads with this token join no read that began before. */
  readonly forgetReads: () => void;
  /** The watch has no subscriber any more. */
  readonly closed: () => void;
}

/** Regular polls are no further apart than this, unless LIVE_POLL_MS is longer, or the service asks to be spared. Unit: milliseconds. */
const LONGEST_MS = 15_000;
/** The longest time for which a service is spared, whatever it asks for. Unit: milliseconds. */
const MOST_DELAY_MS = 3_600_000;
/** By how much the time between regular polls grows with each that found nothing. */
const GROWTH = 1.5;
/** Regular polls that found nothing come up to this part early, so that watches that began together drift apart. */
const SPREAD = 0.1;
/** One poll follows several writes within this time, so that writes without end do not cause polls without end. Unit: milliseconds. */
const BETWEEN_TOUCHES_MS = 20;
/** Above this many subscribers, polls after writes are rarer: each causes that many events. */
const EVENTS_AT_ONCE = 10;
/** All who create what others may see share the turns of one writer: each creation touches the lists of all. */
const CREATORS = 'creators';
/** How many ids outside the window are kept of what was written during a poll. */
const MOST_OUTSIDE = 1000;
/** A poll, or two, may not reach the newest items because the list changed while it was read. */
const MOST_OUT_OF_REACH = 3;

/** The window of a list that the service no longer knows. */
const GONE = { items: [], isWhole: true, newestEnd: 'head', timeOf: () => null } as const;

export function createWatch<T>(options: WatchOptions<T>): Watch<T> {
  const { source, poll, pollMs, clock } = options;
  const subscribers = new Set<Subscriber<T>>();
  /** Of those who go on from an earlier state, what waits for the next good poll. */
  const resuming = new Set<(window: Window<T>, now: Snapshot) => void>();
  /** How many wait for the state at their start. */
  let joining = 0;
  let snapshot: Snapshot | null = null;
  /** The objects that the items in the window belong to. */
  let owners: ReadonlySet<unknown> = new Set();
  /** Whether the service knew the object whose list it is. */
  let isThere = true;
  let polling: Promise<void> | null = null;
  /** Ends the poll that is under way. */
  let pollEnd = new Cancellation();
  let began = Number.NEGATIVE_INFINITY;
  let polledAt: number | null = null;
  /** The time to the next regular poll. Unit: milliseconds. */
  let interval = pollMs;
  /** The service asks not to be called before. */
  let notBefore = Number.NEGATIVE_INFINITY;
  /** How many polls could not reach the newest items since the last good one. */
  let outOfReach = 0;
  /**
   * The writer of each item written since the last good poll began, by id: the next good poll reports it even if unchanged.
   * During a poll also of items outside the window, which the poll may bring in.
   */
  let written = new Map<string, string>();
  let cancelTimer = () => {};
  let ended: End | null = null;

  const has = (id: string | null) => id !== null && snapshot?.items.has(id) === true;
  const hasOwner = (id: string | null) => id !== null && owners.has(id);

  /** Polls once, for all that wait for it. Throws why it failed. */
  function pollOnce(): Promise<void> {
    cancelTimer();
    polling ??= pollNow().finally(() => {
      polling = null;
      schedule();
    });
    return polling;
  }

  async function pollNow(): Promise<void> {
    writers.leave();
    const told = written;
    written = new Map();
    began = clock.now();
    pollEnd = new Cancellation();
    try {
      accept(await poll(pollEnd), told);
    } catch (error) {
      written = new Map([...told, ...written].filter(([id]) => has(id)));
      fail(error);
      throw error;
    }
  }

  function accept(found: Window<T> | null, told: ReadonlyMap<string, string>): void {
    if (found === null && snapshot === null)
      throw new NothingToWatchError(source.ownerNoun ?? 'list');
    const window: Window<T> = found ?? GONE;
    const before = snapshot;
    const now = toSnapshot(window, source.ownerIdOf, before);
    const isWritten = (id: string) => told.has(id);
    const changes = before === null ? [] : compare({ before, now, window, isWritten });
    snapshot = now;
    owners = new Set(Array.from(now.items.values(), ({ owner }) => owner));
    isThere = found !== null;
    outOfReach = 0;
    polledAt = clock.now();
    // Reads that began before may show less than what a subscriber begins with, or has in an event.
    if (before === null || changes.length > 0) options.forgetReads();
    options.polled(changes.length > 0 ? 'changed' : 'same', changes);
    if (changes.length > 0) interval = pollMs;
    else if (before !== null) slowDown();
    const areResumable = before !== null && [...subscribers].some(isResumable);
    const resumable = areResumable
      ? withResumePoints(changes, { before, now, window }, source.key)
      : changes;
    for (const subscriber of subscribers)
      subscriber.push(subscriber.isResumable ? resumable : changes);
    for (const resume of resuming) resume(window, now);
    // An item that came with this poll may have been written after it was read.
    for (const [id, writer] of written)
      if (has(id) && before?.items.has(id) !== true) touch(writer);
  }

  function fail(error: unknown): void {
    if (ended !== null) return;
    const status = error instanceof RestStatusError ? error.details.status : null;
    if (status === UNAUTHORIZED || status === FORBIDDEN) {
      options.polled('refused', []);
      if (status === UNAUTHORIZED) options.tokenRefused(error);
      end({ reason: 'refused', error });
      return;
    }
    slowDown();
    const seconds = secondsToWait(error);
    options.polled(seconds === null ? 'failed' : 'delayed', []);
    if (seconds !== null)
      notBefore = clock.now() + Math.min(seconds * 1000, MOST_DELAY_MS);
    if (error instanceof PageOutOfReachError) outOfReach += 1;
    if (error instanceof NoNewestEndError || outOfReach === MOST_OUT_OF_REACH)
      end({ reason: 'unwatchable', error });
  }

  function slowDown(): void {
    interval = Math.min(interval * GROWTH, Math.max(LONGEST_MS, pollMs));
  }

  function schedule(): void {
    cancelTimer();
    if (ended !== null) return;
    if (subscribers.size + joining === 0) {
      end({ reason: 'left', error: null });
      pollEnd.abort(IS_OVER);
      return;
    }
    if (polling !== null) return;
    const now = clock.now();
    const isTouched = writers.size > 0;
    const between = BETWEEN_TOUCHES_MS * Math.max(1, subscribers.size / EVENTS_AT_ONCE);
    const regular = Math.max(pollMs, interval * (1 - SPREAD * Math.random()));
    const wait = isTouched ? began + between - now : regular;
    const step = isTouched ? () => writers.wait() : pollInBackground;
    cancelTimer = clock.after(Math.max(0, wait, notBefore - now), step);
  }

  /** A poll that fails is counted, and the next one follows. */
  const pollInBackground = () => pollOnce().catch(() => {});
  const writers = new Writers(options.turns, pollInBackground);

  /** The list was touched: it is polled at the turn of this writer. */
  function touch(writer: string): void {
    options.forgetReads();
    interval = pollMs;
    const isFirst = writers.size === 0;
    writers.add(writer);
    if (isFirst) schedule();
  }

  function end(how: End): void {
    if (ended !== null) return;
    ended = how;
    cancelTimer();
    writers.leave();
    options.closed();
    for (const subscriber of subscribers) subscriber.end(how);
    subscribers.clear();
  }

  /** Waits until the state is known that a new subscriber begins with. It has missed nothing. */
  async function settle(): Promise<readonly Change<T>[]> {
    const isFresh = clock.now() < Math.max(began + pollMs, notBefore);
    if (snapshot !== null && polling === null && isFresh) return [];
    try {
      await pollOnce();
    } catch (error) {
      // With an earlier state, trouble only delays the next poll.
      if (snapshot === null || ended !== null) throw error;
    }
    return [];
  }

  /** Polls, and returns what changed since an earlier state. Not with a poll that began before: it may not show as much as that. */
  async function findMissed(from: Snapshot): Promise<readonly Change<T>[]> {
    await polling?.catch(() => {});
    options.forgetReads();
    let missed = (): readonly Change<T>[] => [];
    const resume = (window: Window<T>, now: Snapshot) => {
      const polled = { before: from, now, window, isWritten: () => false };
      missed = () => withResumePoints(missedSince(polled), polled, source.key);
    };
    resuming.add(resume);
    try {
      await pollOnce();
      return missed();
    } finally {
      resuming.delete(resume);
    }
  }

  return {
    async join(open, signal, from) {
      joining += 1;
      try {
        const missed = await unlessAborted(
          () => (from === null ? settle() : findMissed(from)),
          signal,
          (reason) => new LateStartError(reason as Error),
        );
        if (ended === null && !isThere)
          throw new NothingToWatchError(source.ownerNoun ?? 'list');
        const subscriber = open();
        subscriber.push(missed);
        if (ended === null) subscribers.add(subscriber);
        else subscriber.end(ended);
        subscriber.onEnd(() => {
          subscribers.delete(subscriber);
          if (subscribers.size === 0) schedule();
        });
        return subscriber;
      } finally {
        joining -= 1;
        if (subscribers.size === 0) schedule();
      }
    },
    notice({ touches, writer }, isOwn) {
      let touched: boolean | 'maybe' = false;
      for (const touch of touches) {
        const { id } = touch;
        const isKept = has(id) || (polling !== null && written.size < MOST_OUTSIDE);
        if (id !== null && isKept && source.isWritten?.(touch)) written.set(id, writer);
        touched =
          touched === true ||
          source.isTouched?.(touch, isOwn, { has, hasOwner }) ||
          touched;
      }
      if (touched === 'maybe') touch(CREATORS);
      // A writer's own watches have turns of their own, because many others may wait for those that its writes cause.
      else if (touched) touch(isOwn ? `own ${writer}` : writer);
    },
    ownerOf(typeName, id) {
      const owner = typeName === source.typeName && snapshot?.items.get(id)?.owner;
      return typeof owner === 'string' ? owner : null;
    },
    get polledAt() {
      return polledAt;
    },
    end,
  };
}

const isResumable = (subscriber: Subscriber<unknown>) => subscriber.isResumable;

/** If the service does not say how long to wait. Unit: seconds. */
const RATE_LIMITED_SECONDS = 5;

/** How long the next poll must wait; null if nothing says so. Unit: seconds. */
function secondsToWait(error: unknown): number | null {
  if (error instanceof OverloadedError) return error.retryAfterSeconds;
  if (!(error instanceof RestStatusError)) return null;
  const { status, retryAfterSeconds } = error.details;
  if (status === RATE_LIMITED) return retryAfterSeconds ?? RATE_LIMITED_SECONDS;
  return isTransient(status) ? retryAfterSeconds : null;
}
