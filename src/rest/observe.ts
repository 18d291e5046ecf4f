import type { Signal } from './abort.ts';
import type { Call } from './errors.ts';
import type { HttpResponse } from './request.ts';

/** Observes every call of one operation. */
export interface CallObserver {
  /**
   * Wraps each attempt of a call: it must call `send` once, with headers to add, and return or throw what `send` does.
   * If several operations share a GET, only the first one observes it.
   */
  attempt(
    attempt: Attempt,
    send: (headers: Readonly<Record<string, string>>) => Promise<HttpResponse>,
  ): Promise<HttpResponse>;
  /** Runs when a call has ended, in the asynchronous context that made it; null if the operation does not need it. */
  readonly ended: ((call: EndedCall) => void) | null;
}

/** One attempt of a call, about to begin. */
interface Attempt {
  readonly call: Call;
  /** 0 for the first; retries have higher numbers. */
  readonly number: number;
  /** Aborted when no operation waits for the answer any more. */
  readonly signal: Signal;
}

/** The progress of a call; operations that share a GET share it. */
export interface Progress {
  /** Attempts begun. */
  attempts: number;
  /** The status of the last complete answer; null while there is none. */
  status: number | null;
  /** The size of its body. */
  bytes: number;
}

export interface BegunCall<T> {
  readonly answer: Promise<T>;
  readonly progress: Progress;
}

/** A call of one operation. Operations that share a GET have one each. */
interface OwnCall {
  readonly call: Call;
  /** Includes the query. */
  readonly path: string;
  /** Whether it joined a GET that another operation of the same token had in flight. */
  readonly isShared: boolean;
}

/** A call that has ended. Times on the clock of `performance.now()`. Unit: milliseconds. */
export interface EndedCall extends OwnCall, Readonly<Progress> {
  readonly began: number;
  readonly ended: number;
  /** Null for a call that succeeded. */
  readonly error: unknown;
}

/** Returns the answer of a call, and reports the call to the observer when it has ended. */
export const reported = <T>(
  begun: BegunCall<T>,
  own: OwnCall,
  { ended }: CallObserver,
): Promise<T> => (ended === null ? begun.answer : report(begun, own, ended));

async function report<T>(
  { answer, progress }: BegunCall<T>,
  own: OwnCall,
  ended: (call: EndedCall) => void,
): Promise<T> {
  const began = performance.now();
  let error: unknown = null;
  try {
    return await answer;
  } catch (thrown) {
    error = thrown;
    throw thrown;
  } finally {
    ended({ ...own, ...progress, began, ended: performance.now(), error });
  }
}
