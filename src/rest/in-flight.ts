import { Cancellation, type Signal } from './abort.ts';
import type { BegunCall } from './observe.ts';

/** One caller's read; `signal` is aborted when the caller stops waiting. */
interface SharedRead {
  readonly token: string;
  readonly url: string;
  readonly signal: Signal;
}

/**
 * Coalesces equal GETs that are in flight at the same time. The token is part of every key, so no caller gets an answer
 * for another token.
 */
export interface InFlight {
  /** Reads `url` with this token. Calls `start` only if no such GET is in flight; the signal it passes aborts that GET. */
  read(
    read: SharedRead,
    start: (signal: Signal) => BegunCall<unknown>,
  ): BegunCall<unknown> & { readonly isShared: boolean };
  /** To be called when a write has ended: later reads of this token do not join a GET that began before. */
  forget(token: string): void;
}

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
  #waiting: Waiting[] = [];

  /** `remove` runs when no more operations may join. */
  constructor(
    start: (signal: Signal) => BegunCall<unknown>,
    remove: (shared: Shared) => void,
  ) {
    this.#remove = remove;
    const { answer, progress } = start(this.#cancellation);
    this.progress = progress;
    answer.then(
      (value) => {
        for (const { resolve } of this.#end()) resolve(value);
      },
      (error) => {
        for (const { reject } of this.#end()) reject(error);
      },
    );
  }

  /** Waits for the answer. An operation that leaves early aborts the GET only if no other operation waits. */
  wait(signal: Signal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        if (this.#waiting.length === 0) {
          // No caller may join an aborted call, even before its answer has settled.
          this.#remove(this);
          this.#cancellation.abort(signal.reason);
        }
        reject(signal.reason);
      };
      const waiting = { signal, leave, resolve, reject };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', leave);
    });
  }

  #end(): readonly Waiting[] {
    this.#remove(this);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { signal, leave } of waiting) signal.removeEventListener('abort', leave);
    return waiting;
  }
}

export function createInFlight(): InFlight {
  const byToken = new Map<string, Map<string, Shared>>();

  function begin(
    { token, url }: SharedRead,
    start: (signal: Signal) => BegunCall<unknown>,
  ): Shared {
    const calls = byToken.get(token) ?? new Map<string, Shared>();
    byToken.set(token, calls);
    const shared = new Shared(start, (ended) => {
      if (calls.get(url) === ended) calls.delete(url);
      if (calls.size === 0 && byToken.get(token) === calls) byToken.delete(token);
    });
    calls.set(url, shared);
    return shared;
  }

  return {
    read(read, start) {
      const known = byToken.get(read.token)?.get(read.url);
      const shared = known ?? begin(read, start);
      return {
        answer: shared.wait(read.signal),
        progress: shared.progress,
        isShared: known !== undefined,
      };
    },
    forget(token) {
      byToken.delete(token);
    },
  };
}
