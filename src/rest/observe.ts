import type { Call } from './errors.ts';
import type { HttpResponse } from './request.ts';

/** Learns of every call that one operation makes. */
export interface CallObserver {
  /**
   * Surrounds each attempt of a call: calls `send` once, with headers to add, and returns or throws what `send` does. A
   * GET that several operations share is observed for the first of them.
   */
  attempt(
    attempt: Attempt,
    send: (headers: Readonly<Record<string, string>>) => Promise<HttpResponse>,
  ): Promise<HttpResponse>;
  /** Runs when a call has ended, in the asynchronous context that made it; null if nobody wants to know. */
  readonly ended: ((call: EndedCall) => void) | null;
}

/** One attempt of a call, about to begin. */
interface Attempt {
  readonly call: Call;
  /** 0 for the first; retries have higher numbers. */
  readonly number: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** How far a call has come; operations that share a GET share its progress. */
export interface Progress {
  /** Attempts begun. */
  attempts: number;
  /** The status of the last complete answer; null while there is none. */
  status: number | null;
  /** The size of its body. */
  bytes: number;
}

/** A call that has begun. */
export interface BegunCall<T> {
  readonly answer: Promise<T>;
  readonly progress: Progress;
}

/** A call as one operation makes it. */
interface OwnCall {
  readonly call: Call;
  /** With its query, as it goes over the wire. */
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
export async function reported<T>(
  { answer, progress, ...own }: OwnCall & BegunCall<T>,
  { ended }: CallObserver,
): Promise<T> {
  if (ended === null) return answer;
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
