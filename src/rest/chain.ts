import type { CallerId } from './caller-id.ts';
import type { CallObserver, Progress } from './observe.ts';
import type { HttpRequest, Outcome } from './request.ts';

/** A request on its way to the service, with its deadline, its observer and its progress. */
export interface OutgoingRequest extends HttpRequest {
  readonly caller: CallerId;
  /** When the operation's time is up, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly deadline: number;
  readonly observer: CallObserver;
  readonly progress: Progress;
}

/**
 * Sends a request. The outcome never comes before the handler has returned. It has no promise: a promise in each layer
 * would cost more than the layers do.
 */
export type Handler = (request: OutgoingRequest, outcome: Outcome) => void;

/** Adds one concern to a handler. */
export type Layer = (next: Handler) => Handler;

/** Wraps `last` in the layers. A request passes the first layer first, and reaches `last` at the end. */
export const chain = (layers: readonly Layer[], last: Handler): Handler =>
  layers.reduceRight((next, layer) => layer(next), last);

/** Ends a call that is not made. */
export const refuse = (outcome: Outcome, error: Error): void =>
  queueMicrotask(() => outcome.reject(error));
