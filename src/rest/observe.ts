import { AsyncResource } from 'node:async_hooks';
import type { Signal } from '../callers/abort.ts';
import type { Call } from './errors.ts';
import type { HttpRequest, HttpResponse, Outcome, SendRequest } from './request.ts';

/** Observes every call of one operation. */
export interface CallObserver {
  /** Sent with every call, as `X-Request-Id`. */
  readonly requestId: string;
  /** An attempt of a call begins. If several operations share a GET, only the first one observes it. */
  begin(attempt: AttemptInfo): ObservedAttempt;
  /** Runs when a call has ended, in the asynchronous context that made it; null if the operation does not need it. */
  readonly ended: ((call: EndedCall) => void) | null;
}

/** An attempt that has begun. It ends with `answered` or with `failed`. */
export interface ObservedAttempt {
  /** Sends the request with `send`, perhaps with more headers, and in another asynchronous context. */
  send(request: HttpRequest, outcome: Outcome, send: SendRequest): void;
  answered(answer: HttpResponse): void;
  failed(error: unknown): void;
}

/** One attempt of a call, about to begin. */
export interface AttemptInfo {
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
  /** Its header `Date`: the service's clock. */
  date?: string | undefined;
}

/** A call as one operation sees it. If operations share a GET, each has its own. */
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

/**
 * Begins to observe a call. The function that it returns takes how the call has ended, with an error or null; it is null
 * if the operation does not need to know.
 */
export function observeCall(
  own: OwnCall,
  progress: Readonly<Progress>,
  { ended }: CallObserver,
): ((error: unknown) => void) | null {
  if (ended === null) return null;
  const began = performance.now();
  return AsyncResource.bind((error: unknown) =>
    ended({ ...own, ...progress, began, ended: performance.now(), error }),
  );
}
