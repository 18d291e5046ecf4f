import { PageOutOfReachError } from '../paging/errors.ts';
import { OverloadedError, RestStatusError } from '../rest/errors.ts';
import { FORBIDDEN, RATE_LIMITED, UNAUTHORIZED } from '../rest/status.ts';
import type { WritersNotice } from './bus.ts';
import type { Change } from './change.ts';
import { compare, type Seen, toSeen } from './compare.ts';
import { NoNewestEndError, NothingToWatchError } from './errors.ts';
import type { Look } from './look.ts';
import { createPace } from './pace.ts';
import type { Source } from './source.ts';
import type { End, Subscriber } from './subscriber.ts';
import type { Clock, Turns } from './turns.ts';
import type { Window } from './window.ts';
import { createWriters } from './writers.ts';

/** One list that is watched with one token, for all its subscribers. */
export interface Watch {
  readonly token: string;
  /** The conversation of a message in its window, as the service names it; null if it does not show the message, or is not known. */
  conversationOf(messageId: string): string | null;
  /** When the last look succeeded, on the clock of the watch; null before. Unit: milliseconds. */
  readonly lookedAt: number | null;
  /** Looks at the writer's next turn if a write touched the list. `isOwn`: it was made with the token of this watch. */
  notice(notice: WritersNotice, isOwn: boolean): void;
  end(end: End): void;
}

/** A watch as its subscribers see it. */
export interface WatchOf<T> extends Watch {
  /** Adds a subscriber when the state at its start is known; throws what the first look threw. */
  join(subscriber: Subscriber<T>): Promise<void>;
}

/** How a look ended. `delayed`: the service limits the rate, or is spared. */
export type LookOutcome = 'changed' | 'same' | 'failed' | 'delayed' | 'refused';

export interface WatchOptions<T> {
  readonly source: Source<T>;
  readonly token: string;
  readonly look: Look<T>;
  /** The least time between two regular looks, without those after a write. Unit: milliseconds. */
  readonly pollMs: number;
  readonly clock: Clock;
  readonly looked: (outcome: LookOutcome) => void;
  readonly changed: (changes: readonly Change<T>[]) => void;
  /** The service no longer accepts the token, so all its watches are over. */
  readonly tokenRefused: (error: unknown) => void;
  /** Later reads with this token join no read that began before. */
  readonly forgetReads: () => void;
  readonly turns: Turns;
  /** The watch has no subscriber any more. */
  readonly closed: () => void;
}

/** Writes that follow one another are seen together, so that they cannot make a watch look without end. Unit: milliseconds. */
const BETWEEN_TOUCHES_MS = 20;
/** With more subscribers than this, the looks that follow writes are rarer: each is as many events. */
const EVENTS_AT_ONCE = 10;
/** All who create conversations share the turns of one writer: each creation touches the lists of all. */
const CREATORS = 'creators';
/** How many ids are kept of conversations that were written to during a look, and that its list did not show before. */
const MOST_HEARD = 1000;

/** One look, or two, may have met a list that changed while it was read. */
const MOST_OUT_OF_REACH = 3;

export function createWatch<T>(options: WatchOptions<T>): WatchOf<T> {
  const { source, token, look, pollMs, clock, turns } = options;
  const pace = createPace(pollMs);
  const subscribers = new Set<Subscriber<T>>();
  /** Those that wait for the state at their start. */
  let joining = 0;
  let seen: Seen | null = null;
  /** Of the messages in the window. */
  let conversationId: string | null = null;
  /** Whether the service knew the object whose list it is. */
  let isThere = true;
  let lookedAt: number | null = null;
  let began = Number.NEGATIVE_INFINITY;
  /** The service asks not to be called before. */
  let notBefore = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;
  /** How many looks in a row could not reach the newest items. */
  let outOfReach = 0;
  /** Items that were written since the last good look began: the next good look tells them, even if it shows no difference. */
  let written = new Set<string>();
  /** Items outside the window that were written during a look, by id, with the writer: the look may bring them into it. */
  const heard = new Map<string, string>();
  let cancelTimer = () => {};
  let ended: End | null = null;

  /** Looks once, for all that wait for it. Throws why it failed. */
  function lookOnce(): Promise<void> {
    cancelTimer();
    looking ??= takeLook().finally(() => {
      looking = null;
      schedule();
    });
    return looking;
  }

  async function takeLook(): Promise<void> {
    writers.leave();
    const told = written;
    written = new Set();
    began = clock.now();
    try {
      saw(await look(), told);
    } catch (error) {
      written = new Set([...told, ...written]);
      failed(error);
      throw error;
    } finally {
      for (const [id, writer] of heard) if (has(id)) touch(writer, [id]);
      heard.clear();
    }
  }

  function saw(found: Window<T> | null, told: ReadonlySet<string>): void {
    if (found === null && seen === null) throw new NothingToWatchError();
    isThere = found !== null;
    const window: Window<T> = found ?? { items: [], isWhole: true, newestEnd: 'head' };
    const { times } = source;
    const now = toSeen(window, times);
    const before = seen;
    const changes =
      before === null ? [] : compare({ before, now, window, times, written: told });
    seen = now;
    conversationId = source.conversationOf?.(window.items) ?? null;
    outOfReach = 0;
    lookedAt = clock.now();
    // Reads that began before may show less than what a subscriber begins with, or has in an event.
    if (before === null || changes.length > 0) options.forgetReads();
    options.looked(changes.length > 0 ? 'changed' : 'same');
    if (changes.length === 0) {
      if (before !== null) pace.slow();
      return;
    }
    pace.quicken();
    options.changed(changes);
    for (const subscriber of subscribers) subscriber.push(changes);
  }

  function failed(error: unknown): void {
    const status = error instanceof RestStatusError ? error.details.status : null;
    if (status === UNAUTHORIZED || status === FORBIDDEN) {
      options.looked('refused');
      if (status === UNAUTHORIZED) options.tokenRefused(error);
      end({ reason: 'refused', error });
      return;
    }
    pace.slow();
    const seconds = secondsToWait(error);
    options.looked(seconds === null ? 'failed' : 'delayed');
    if (seconds !== null) notBefore = clock.now() + seconds * 1000;
    if (error instanceof PageOutOfReachError) outOfReach += 1;
    if (error instanceof NoNewestEndError || outOfReach === MOST_OUT_OF_REACH)
      end({ reason: 'unwatchable', error });
  }

  function schedule(): void {
    cancelTimer();
    if (ended !== null || looking !== null) return;
    if (subscribers.size + joining === 0) {
      end({ reason: 'left', error: null });
      return;
    }
    const now = clock.now();
    const isTouched = writers.size > 0;
    const between = BETWEEN_TOUCHES_MS * Math.max(1, subscribers.size / EVENTS_AT_ONCE);
    const due = isTouched ? began + between : now + pace.next();
    const step = isTouched ? writers.wait : lookInBackground;
    cancelTimer = clock.after(Math.max(0, due - now, notBefore - now), step);
  }

  /** What failed is counted, and the next look follows. */
  const lookInBackground = () => lookOnce().catch(() => {});
  const writers = createWriters(turns, lookInBackground);

  function touch(writer: string, ids: readonly string[]): void {
    options.forgetReads();
    pace.quicken();
    for (const id of ids) if (has(id)) written.add(id);
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

  /** Waits until the state is known that a new subscriber begins with. */
  async function settle(): Promise<void> {
    const isFresh = clock.now() < Math.max(began + pollMs, notBefore);
    if (seen !== null && looking === null && isFresh) return;
    try {
      await lookOnce();
    } catch (error) {
      // With an earlier state, trouble only delays the next look.
      if (seen === null || ended !== null) throw error;
    }
  }

  const has = (id: string) => seen?.items.has(id) === true;

  async function join(subscriber: Subscriber<T>): Promise<void> {
    joining += 1;
    try {
      await settle();
      if (ended !== null) return subscriber.end(ended);
      if (!isThere) throw new NothingToWatchError();
      subscribers.add(subscriber);
      subscriber.onEnd(() => {
        subscribers.delete(subscriber);
        if (subscribers.size === 0) schedule();
      });
    } finally {
      joining -= 1;
      if (subscribers.size === 0) schedule();
    }
  }

  return {
    token,
    conversationOf: (messageId) => (has(messageId) ? conversationId : null),
    get lookedAt() {
      return lookedAt;
    },
    join,
    notice(notice, isOwn) {
      const { writer } = notice;
      const touched = source.isTouched(notice, isOwn, has);
      const ids = source.written(notice);
      if (looking !== null && heard.size < MOST_HEARD)
        for (const id of ids) if (!has(id)) heard.set(id, writer);
      if (touched === 'perhaps') touch(CREATORS, ids);
      // A writer's own watches have turns of their own, because many others may wait for those that its writes cause.
      else if (touched) touch(isOwn ? `own ${writer}` : writer, ids);
    },
    end,
  };
}

/** If the service does not say how long to wait. Unit: seconds. */
const RATE_LIMITED_SECONDS = 5;

/** How long the next look must wait; null if nothing says so. Unit: seconds. */
function secondsToWait(error: unknown): number | null {
  if (error instanceof OverloadedError) return error.retryAfterSeconds;
  if (!(error instanceof RestStatusError)) return null;
  const { status, retryAfterSeconds } = error.details;
  return status === RATE_LIMITED ? (retryAfterSeconds ?? RATE_LIMITED_SECONDS) : null;
}
