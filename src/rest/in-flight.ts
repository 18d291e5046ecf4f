import { Cancellation, type Listener, type Signal } from './abort.ts';
import type { CallerId } from './caller-id.ts';
import { type Call, OverloadedError } from './errors.ts';
import type { Progress } from './observe.ts';
import type { HttpResponse, Outcome } from './request.ts';
import { FairSlots } from './shares.ts';
import { turnOf } from './thread.ts';

/** A read of one operation. */
export interface SharedRead {
  readonly call: Call;
  readonly caller: CallerId;
  readonly url: string;
  /** Begins the GET; the signal aborts it. */
  start(signal: Signal, outcome: Outcome): Progress;
  /** Reads its answer. */
  parse(answer: HttpResponse): unknown;
}

/** An operation that waits for a GET. One of `resolve` and `reject` runs, once. As a listener, it leaves the GET. */
export interface Waiting extends Listener {
  /** Aborted when the operation stops waiting. */
  readonly signal: Signal;
  resolve(json: unknown): void;
  reject(error: unknown): void;
}

/** A GET in flight, as an operation sees it that waits for it. */
export interface Get {
  /** The read that began it. All others share it. */
  readonly read: SharedRead;
  readonly progress: Readonly<Progress>;
  /** An operation does not wait any more. */
  leave(waiting: Waiting): void;
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
  read(read: SharedRead, waiting: Waiting): Get;
  /** To be called when a write has ended: later reads of this token do not join a GET that began before. */
  forget(token: string): void;
}

/** How many may wait for GETs that others began, four fifths of them of one caller. Each takes some 30 KB. */
const MAX_JOINED = 4000;
/** When to try again: by then the GET has ended, or is about to. Unit: seconds. */
const RETRY_AFTER_SECONDS = 1;

/** A GET in flight, and the operations that wait for it. */
class Shared implements Get, Outcome {
  readonly read: SharedRead;
  readonly progress: Progress;
  readonly #cancellation = new Cancellation();
  readonly #remove: (get: Get) => void;
  /** Most reads are waited for by one operation only, and need no set. */
  #first: Waiting | null = null;
  #others: Set<Waiting> | null = null;

  /** `remove` runs when no more operations may join. */
  constructor(read: SharedRead, remove: (get: Get) => void) {
    this.read = read;
    this.#remove = remove;
    this.progress = read.start(this.#cancellation, this);
  }

  add(waiting: Waiting): void {
    if (this.#first === null) this.#first = waiting;
    else {
      this.#others ??= new Set();
      this.#others.add(waiting);
    }
    waiting.signal.addEventListener('abort', waiting);
  }

  resolve(answer: HttpResponse): void {
    try {
      const json = this.read.parse(answer);
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
    for (const waiting of this.#end()) waiting.reject(error);
  }

  #give(json: unknown): void {
    for (const waiting of this.#end()) waiting.resolve(json);
  }

  /** The GET is aborted only if no other operation waits for it. */
  leave(waiting: Waiting): void {
    const { reason } = waiting.signal;
    if (this.#first === waiting) this.#first = null;
    else this.#others?.delete(waiting);
    if (this.#first === null && !this.#others?.size) {
      // No caller may join an aborted call, even before its answer has settled.
      this.#remove(this);
      this.#cancellation.abort(reason);
    }
    waiting.reject(reason);
  }

  /** No operation may join or leave any more. Returns those that wait. */
  #end(): readonly Waiting[] {
    this.#remove(this);
    const all = this.#first === null ? [] : [this.#first];
    if (this.#others !== null) all.push(...this.#others);
    for (const waiting of all) waiting.signal.removeEventListener('abort', waiting);
    return all;
  }
}

/** An operation that waits for a GET that another one began. Thousands may get their answer in one moment. */
class Joined implements Waiting {
  readonly signal: Signal;
  readonly #waiting: Waiting;
  readonly #get: Get;
  readonly #caller: CallerId;
  readonly #slots: FairSlots;

  constructor(waiting: Waiting, get: Get, caller: CallerId, slots: FairSlots) {
    this.signal = waiting.signal;
    this.#waiting = waiting;
    this.#get = get;
    this.#caller = caller;
    this.#slots = slots;
  }

  handleEvent(): void {
    this.#get.leave(this);
  }

  resolve(json: unknown): void {
    this.#inTurn(() => this.#waiting.resolve(json));
  }

  reject(error: unknown): void {
    this.#inTurn(() => this.#waiting.reject(error));
  }

  #inTurn(end: () => void): void {
    void (turnOf(this.#caller) ?? Promise.resolve()).then(() => {
      this.#slots.release(this.#caller);
      end();
    });
  }
}

export function createInFlight(): InFlight {
  const byToken = new Map<string, Map<string, Shared>>();
  const joined = new FairSlots(MAX_JOINED);

  function remove(get: Get): void {
    const { url } = get.read;
    const { token } = get.read.caller;
    const calls = byToken.get(token);
    if (calls?.get(url) !== get) return;
    // In any case: V8 keeps former tables of `byToken`, and with them this map, until a full collection.
    calls.delete(url);
    if (calls.size === 0) byToken.delete(token);
  }

  function begin(read: SharedRead, calls: Map<string, Shared> | undefined): Shared {
    const { url } = read;
    const { token } = read.caller;
    const shared = new Shared(read, remove);
    if (calls === undefined) byToken.set(token, new Map([[url, shared]]));
    else calls.set(url, shared);
    return shared;
  }

  return {
    read(read, waiting) {
      const { call, caller, url } = read;
      const calls = byToken.get(caller.token);
      const known = calls?.get(url);
      if (known === undefined) {
        const shared = begin(read, calls);
        shared.add(waiting);
        return shared;
      }
      if (joined.acquire(caller)) known.add(new Joined(waiting, known, caller, joined));
      else {
        const trouble = 'not made: too many wait for the same answer already';
        const error = new OverloadedError(call, trouble, RETRY_AFTER_SECONDS);
        queueMicrotask(() => waiting.reject(error));
      }
      return known;
    },
    forget(token) {
      byToken.delete(token);
    },
  };
}
