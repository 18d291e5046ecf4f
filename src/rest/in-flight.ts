import { type AbortListener, Cancellation, type Signal } from '../callers/abort.ts';
import type { CallerId } from '../callers/caller-id.ts';
import { FairSlots } from '../callers/shares.ts';
import { asyncTurnOf } from '../callers/thread.ts';
import { type Call, OverloadedError } from './errors.ts';
import type { Progress } from './observe.ts';
import type { HttpResponse, Outcome } from './request.ts';
import type { ParseOptions } from './response.ts';

export interface Target {
  readonly call: Call;
  /** Begins with `/v1`; includes the query. */
  readonly url: string;
}

/** Makes GETs with the token of one caller. */
export interface GetSender {
  readonly caller: CallerId;
  /** See Send. */
  readonly readsExactly: boolean;
  parse(call: Call, answer: HttpResponse, how: ParseOptions): unknown;
  /** Begins a GET; the signal aborts it. */
  start(target: Target, signal: Signal, outcome: Outcome): Progress;
}

/** An operation that waits for a GET. One of `resolve` and `reject` runs, once. As a listener, it leaves the GET. */
export interface ReadWaiter extends AbortListener {
  readonly caller: CallerId;
  /** Aborted when the operation stops waiting. */
  readonly signal: Signal;
  resolve(json: unknown): void;
  reject(error: unknown): void;
}

/** How many may wait for GETs that others began, four fifths of them of one caller. Each takes some 30 KB. */
const MAX_JOINED = 4000;

/** A GET in flight, and the operations that wait for it. */
export class Get implements Outcome {
  readonly sender: GetSender;
  readonly target: Target;
  /** The operation that began it. All others share it. */
  readonly beganBy: ReadWaiter;
  readonly progress: Readonly<Progress>;
  readonly #cancellation = new Cancellation();
  readonly #inFlight: InFlight;
  /** Nearly always one. */
  readonly #waiters: ReadWaiter[] = [];
  /** Whether one of those who wait needs numbers with their text. */
  #isExact = false;
  #isParsed = false;

  constructor(sender: GetSender, target: Target, waiter: ReadWaiter, inFlight: InFlight) {
    this.sender = sender;
    this.target = target;
    this.beganBy = waiter;
    this.#inFlight = inFlight;
    this.progress = sender.start(target, this.#cancellation, this);
    this.join(sender, waiter);
  }

  /** Whether this sender can join: once the answer is being parsed, it is too late to ask for numbers with their text. */
  serves({ readsExactly }: GetSender): boolean {
    return this.#isExact || !readsExactly || !this.#isParsed;
  }

  join({ readsExactly }: GetSender, waiter: ReadWaiter): void {
    this.#isExact ||= readsExactly;
    this.#waiters.push(waiter);
    waiter.signal.addEventListener('abort', waiter);
  }

  resolve(answer: HttpResponse): void {
    this.#isParsed = true;
    try {
      const how = { signal: this.#cancellation, isExact: this.#isExact };
      const json = this.sender.parse(this.target.call, answer, how);
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
    for (const waiter of this.#end()) this.#endFor(waiter, () => waiter.reject(error));
  }

  #give(json: unknown): void {
    for (const waiter of this.#end()) this.#endFor(waiter, () => waiter.resolve(json));
  }

  /** An operation does not wait any more. The GET is aborted only if no other one waits for it. */
  leave(waiter: ReadWaiter): void {
    const { reason } = waiter.signal;
    this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
    if (this.#waiters.length === 0) {
      // No caller may join an aborted call, even before its answer has settled.
      this.#inFlight.remove(this);
      this.#cancellation.abort(reason);
    }
    this.#endFor(waiter, () => waiter.reject(reason));
  }

  /** Joined operations end in their callers' turns: thousands may get the answer at once. */
  #endFor(waiter: ReadWaiter, end: () => void): void {
    const { caller } = waiter;
    if (waiter === this.beganBy) end();
    else
      void asyncTurnOf(caller).then(() => {
        this.#inFlight.joined.release(caller);
        end();
      });
  }

  /** No operation may join or leave any more. Returns those that wait. */
  #end(): readonly ReadWaiter[] {
    this.#inFlight.remove(this);
    for (const waiter of this.#waiters)
      waiter.signal.removeEventListener('abort', waiter);
    return this.#waiters;
  }
}

/**
 * Coalesces equal GETs that are in flight at the same time. The caller's name is part of every key, so no caller gets an answer
 * for another one.
 */
export class InFlight {
  readonly #byName = new Map<string, Map<string, Get>>();
  /** Slots of the operations that wait for GETs that others began. */
  readonly joined = new FairSlots(MAX_JOINED);

  /**
   * Begins a GET, or joins an equal one that is in flight. The waiter gets an OverloadedError if too many wait for GETs that
   * others began: these hold neither a connection nor a place in the queue. It gets nothing before this returns.
   */
  read(sender: GetSender, target: Target, waiter: ReadWaiter): Get {
    const { caller } = sender;
    const calls = this.#byName.get(caller.name);
    const known = calls?.get(target.url);
    if (!known?.serves(sender)) {
      const get = new Get(sender, target, waiter, this);
      if (calls === undefined)
        this.#byName.set(caller.name, new Map<string, Get>().set(target.url, get));
      else calls.set(target.url, get);
      return get;
    }
    if (this.joined.acquire(caller)) known.join(sender, waiter);
    else {
      const trouble = 'not made: too many wait for the same answer already';
      const error = new OverloadedError(target.call, trouble);
      queueMicrotask(() => waiter.reject(error));
    }
    return known;
  }

  /** To be called when a write has ended: later reads of this caller do not join a GET that began before. */
  readonly forget = (caller: string): void => {
    this.#byName.delete(caller);
  };

  /** No operation may join it any more. */
  remove(get: Get): void {
    const { url } = get.target;
    const { name } = get.sender.caller;
    const calls = this.#byName.get(name);
    if (calls?.get(url) !== get) return;
    // Even if the map is dropped next: V8 keeps old tables of `#byName`, and so this map, until a full GC.
    calls.delete(url);
    if (calls.size === 0) this.#byName.delete(name);
  }
}
