import { Cancellation, type Signal } from './abort.ts';
import { type Call, OverloadedError } from './errors.ts';
import type { Progress } from './observe.ts';
import { createPlaces, type Places } from './places.ts';
import type { HttpResponse, Outcome } from './request.ts';
import { turnOf } from './thread.ts';

/** A read of one operation. */
export interface SharedRead {
  readonly call: Call;
  readonly token: string;
  readonly url: string;
  /** Begins the GET; the signal aborts it. */
  start(signal: Signal, outcome: Outcome): Progress;
  /** Reads its answer. */
  parse(answer: HttpResponse): unknown;
}

/** An operation that waits for a GET. One of `resolve` and `reject` runs, once. */
export interface Waiting {
  /** Aborted when the operation stops waiting. */
  readonly signal: Signal;
  resolve(json: unknown): void;
  reject(error: unknown): void;
}

/** The GET that an operation waits for. */
export interface JoinedCall {
  readonly progress: Readonly<Progress>;
  /** Whether another operation of the same token had it in flight. */
  readonly isShared: boolean;
}

/**
 * Coalesces equal GETs that are in flight at the same time. The token is part of every key, so no caller gets an answer
 * for another token.
 */
export interface InFlight {
  /**
   * Begins a GET, or joins an equal one that is in flight. The outcome is an OverloadedError if too many wait for GETs that
   * others began: these hold neither a connection nor a place in the queue. It never comes at once.
   */
  read(read: SharedRead, waiting: Waiting): JoinedCall;
  /** To be called when a write has ended: later reads of this token do not join a GET that began before. */
  forget(token: string): void;
}

/** How many may wait for GETs that others began, four fifths of them with one token. Each takes some 30 KB. */
const MAX_JOINED = 4000;
/** When to try again: by then the GET has ended, or is about to. Unit: seconds. */
const RETRY_AFTER_SECONDS = 1;

/** A GET in flight, and the operations that wait for it. */
class Shared implements Outcome {
  readonly progress: Progress;
  readonly #cancellation = new Cancellation();
  readonly #read: SharedRead;
  readonly #remove: (shared: Shared) => void;
  /** Most reads are waited for by one operation only, and need no set. */
  #first: Member | null = null;
  #others: Set<Member> | null = null;

  /** `remove` runs when no more operations may join. */
  constructor(read: SharedRead, remove: (shared: Shared) => void) {
    this.#read = read;
    this.#remove = remove;
    this.progress = read.start(this.#cancellation, this);
  }

  /** An operation waits for the answer. If it leaves early, the GET is aborted only if no other operation waits. */
  add(waiting: Waiting): void {
    const member: Member = { waiting, leave: () => this.#leave(member) };
    if (this.#first === null) this.#first = member;
    else {
      this.#others ??= new Set();
      this.#others.add(member);
    }
    waiting.signal.addEventListener('abort', member.leave);
  }

  resolve(answer: HttpResponse): void {
    try {
      const json = this.#read.parse(answer);
      // Only a long answer is a promise.
      if (!(json instanceof Promise)) this.#give(json);
      else
        json.then(
          (whole) => this.#give(whole),
          (error) => this.reject(error),
        );
    } catch (error) {
      this.reject(error);
    }
  }

  reject(error: unknown): void {
    for (const { waiting } of this.#end()) waiting.reject(error);
  }

  #give(json: unknown): void {
    for (const { waiting } of this.#end()) waiting.resolve(json);
  }

  #leave(member: Member): void {
    const { waiting } = member;
    const { reason } = waiting.signal;
    if (this.#first === member) this.#first = null;
    else this.#others?.delete(member);
    if (this.#first === null && !this.#others?.size) {
      // No caller may join an aborted call, even before its answer has settled.
      this.#remove(this);
      this.#cancellation.abort(reason);
    }
    waiting.reject(reason);
  }

  /** No operation may join or leave any more. Returns those that wait. */
  #end(): readonly Member[] {
    this.#remove(this);
    const members = this.#first === null ? [] : [this.#first];
    if (this.#others !== null) members.push(...this.#others);
    for (const { waiting, leave } of members)
      waiting.signal.removeEventListener('abort', leave);
    return members;
  }
}

/** An operation that waits, and what runs when it stops waiting. */
interface Member {
  readonly waiting: Waiting;
  readonly leave: () => void;
}

/** An operation that waits for a GET that another one began. Thousands may get their answer in one moment. */
class Joined implements Waiting {
  readonly signal: Signal;
  readonly #waiting: Waiting;
  readonly #token: string;
  readonly #places: Places;

  constructor(waiting: Waiting, token: string, places: Places) {
    this.signal = waiting.signal;
    this.#waiting = waiting;
    this.#token = token;
    this.#places = places;
  }

  resolve(json: unknown): void {
    this.#inTurn(() => this.#waiting.resolve(json));
  }

  reject(error: unknown): void {
    this.#inTurn(() => this.#waiting.reject(error));
  }

  #inTurn(end: () => void): void {
    void (turnOf(this.#token) ?? Promise.resolve()).then(() => {
      this.#places.give(this.#token);
      end();
    });
  }
}

export function createInFlight(): InFlight {
  const byToken = new Map<string, Map<string, Shared>>();
  const joined = createPlaces(MAX_JOINED);

  function begin(read: SharedRead): Shared {
    const { token, url } = read;
    const calls = byToken.get(token) ?? new Map<string, Shared>();
    byToken.set(token, calls);
    const shared = new Shared(read, (ended) => {
      if (calls.get(url) === ended) calls.delete(url);
      if (calls.size === 0 && byToken.get(token) === calls) byToken.delete(token);
    });
    calls.set(url, shared);
    return shared;
  }

  return {
    read(read, waiting) {
      const { call, token, url } = read;
      const known = byToken.get(token)?.get(url);
      if (known === undefined) {
        const shared = begin(read);
        shared.add(waiting);
        return { progress: shared.progress, isShared: false };
      }
      if (joined.take(token)) known.add(new Joined(waiting, token, joined));
      else {
        const trouble = 'not made: too many wait for the same answer already';
        const error = new OverloadedError(call, trouble, RETRY_AFTER_SECONDS);
        queueMicrotask(() => waiting.reject(error));
      }
      return { progress: known.progress, isShared: true };
    },
    forget(token) {
      byToken.delete(token);
    },
  };
}
