import type { CallerId } from '../callers/caller-id.ts';
import type { CallObserver, Progress } from './observe.ts';
import type { HttpRequest, Outcome } from './request.ts';

/** A request on its way to the service, with its deadline, its observer and its progress. */
export interface OutgoingRequest extends HttpRequest {
  readonly caller: CallerId;
  /** When the operation's time is up, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly deadline: number;
  readonly observer: CallObserver;
  readonly progress: Progress;
  /** Asked when the call has a connection: whether it may still be sent. Without this, it may. */
  readonly mayBegin?: () => boolean;
}

/**
 * Sends a request. The outcome never comes before the handler has returned. It has no promise: a promise in each handler
 * would cost more than the handlers do.
 */
export type CallHandler = (request: OutgoingRequest, outcome: Outcome) => void;
