import type { Call } from './errors.ts';
import type { HttpResponse } from './request.ts';

/** One exchange with the service that is about to begin. */
interface ObservedExchange {
  readonly call: Call;
  /** 0; above, it is a retry. */
  readonly attempt: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * Stands around each exchange of one caller, to count, time or trace it. Calls `send` once, with headers that go along,
 * and passes on what it answers or throws.
 */
export type Observe = (
  exchange: ObservedExchange,
  send: (headers: Readonly<Record<string, string>>) => Promise<HttpResponse>,
) => Promise<HttpResponse>;

/** How far a call has come; operations that share a GET share this. */
export interface Progress {
  /** Exchanges begun; from the second on they are retries. */
  attempts: number;
  /** Of the last answer that came whole; null while there is none. */
  status: number | null;
  /** Of its body. */
  bytes: number;
}

/** A call that has begun. */
export interface Begun<T> {
  readonly answer: Promise<T>;
  readonly progress: Progress;
}

/** A call as one caller makes it. */
interface OwnCall {
  readonly call: Call;
  /** With its query, as it goes over the wire. */
  readonly path: string;
  /** Whether it joined a GET that another operation of the same token had under way. */
  readonly isShared: boolean;
}

/** A call that has ended, well or not. Times on the clock of `performance.now()`. Unit: milliseconds. */
export interface EndedCall extends OwnCall, Readonly<Progress> {
  readonly began: number;
  readonly ended: number;
  /** Null where there is none. */
  readonly error: unknown;
}

/** Called in the asynchronous context that the call was made in. */
export type OnCall = (call: EndedCall) => void;

/** The same answer; who wants to know is told how the call went. */
export async function told<T>(
  { answer, progress, ...own }: OwnCall & Begun<T>,
  onCall: OnCall | null,
): Promise<T> {
  if (onCall === null) return answer;
  const began = performance.now();
  let error: unknown = null;
  try {
    return await answer;
  } catch (thrown) {
    error = thrown;
    throw thrown;
  } finally {
    onCall({ ...own, ...progress, began, ended: performance.now(), error });
  }
}
