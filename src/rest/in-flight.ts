import { Cancellation, type Signal } from './abort.ts';
import { type Call, OverloadedError } from './errors.ts';
import type { BegunCall } from './observe.ts';
import { createPlaces } from './places.ts';
import type { HttpResponse } from './request.ts';
import { turnOf } from './thread.ts';

/** One caller's read; `signal` is aborted when the caller stops waiting. */
interface SharedRead {
  readonly call: Call;
  readonly token: string;
  readonly url: string;
  readonly signal: Signal;
  /** Begins the GET; the signal it is passed aborts it. */
  readonly start: (signal: Signal) => BegunCall<HttpResponse>;
  /** Reads its answer. */
  readonly parse: (answer: HttpResponse) => unknown;
}

/**
 * Coalesces equal GETs that are in flight at the same time. The token is part of every key, so no caller gets an answer
 * for another token.
 */
export interface InFlight {
  /**
   * Reads `url` with this token. Calls `start` only if no such GET is in flight. The answer is an OverloadedError if too many
   * wait for GETs that others began: these hold neither a connection nor a place in the queue.
   */
  read(read: SharedRead): BegunCall<unknown> & { readonly isShared: boolean };
  /** To be called when a write has ended: later reads of this token do not join a GET that began before. */
  forget(token: string): void;
}

/** How many may wait for GETs that others began, four fifths of them with one token. Each takes some 30 KB. */
const MAX_JOINED = 4000;
/** When to try again: by then the GET has ended, or is about to. Unit: seconds. */
const RETRY_AFTER_SECONDS = 1;

/** An operation that waits for a shared GET. */
interface Waiting {
  readonly signal: Signal;
  /** Runs when the operation stops waiting. */
  readonly leave: () => void;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A GET in flight, and the operations that wait for it. */
class Shared {
  readonly progress: BegunCall<unknown>['progress'];
  readonly #cancellation = new Cancellation();
  readonly #remove: (shared: Shared) => void;
  readonly #waiting = new Set<Waiting>();

  /** `remove` runs when no more operations may join. */
  constructor({ start, parse }: SharedRead, remove: (shared: Shared) => void) {
    this.#remove = remove;
    const { answer, progress } = start(this.#cancellation);
    this.progress = progress;
    const resolve = (json: unknown) => {
      this.#end();
      for (const waiting of this.#waiting) waiting.resolve(json);
    };
    const reject = (error: unknown) => {
      this.#end();
      for (const waiting of this.#waiting) waiting.reject(error);
    };
    answer.then((whole) => {
      try {
        const json = parse(whole);
        // Only a long answer is a promise.
        if (json instanceof Promise) json.then(resolve, reject);
        else resolve(json);
      } catch (error) {
        reject(error);
      }
    }, reject);
  }

  /** Waits for the answer. An operation that leaves early aborts the GET only if no other operation waits. */
  wait(signal: Signal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        // Thousands may leave in one moment.
        this.#waiting.delete(waiting);
        if (this.#waiting.size === 0) {
          // No caller may join an aborted call, even before its answer has settled.
          this.#remove(this);
          this.#cancellation.abort(signal.reason);
        }
        reject(signal.reason);
      };
      const waiting = { signal, leave, resolve, reject };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', leave);
    });
  }

  #end(): void {
    this.#remove(this);
    for (const { signal, leave } of this.#waiting)
      signal.removeEventListener('abort', leave);
  }
}

export function createInFlight(): InFlight {
  const byToken = new Map<string, Map<string, Shared>>();

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

  const joined = createPlaces(MAX_JOINED);

  /** Waits for a GET that another operation began. */
  async function join(
    shared: Shared,
    { call, token, signal }: SharedRead,
  ): Promise<unknown> {
    if (!joined.take(token)) {
      const trouble = 'not made: too many wait for the same answer already';
      throw new OverloadedError(call, trouble, RETRY_AFTER_SECONDS);
    }
    try {
      return await shared.wait(signal);
    } finally {
      // Thousands may get their answer in one moment.
      const turn = turnOf(token);
      if (turn !== undefined) await turn;
      joined.give(token);
    }
  }

  return {
    read(read) {
      const known = byToken.get(read.token)?.get(read.url);
      const shared = known ?? begin(read);
      return {
        answer: known === undefined ? shared.wait(read.signal) : join(known, read),
        progress: shared.progress,
        isShared: known !== undefined,
      };
    },
    forget(token) {
      byToken.delete(token);
    },
  };
}
