import type { CallObserver, Progress } from './observe.ts';
import type { HttpRequest, HttpResponse } from './request.ts';

/** A call on its way to the wire: the request, for whom it is made, and how far it has come. */
export interface OutgoingRequest extends HttpRequest {
  /** Identifies the caller: equal for calls with the same token. */
  readonly caller: string;
  /** When the operation's time is up, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly deadline: number;
  readonly observer: CallObserver;
  readonly progress: Progress;
}

/** Answers a call, whatever the status. */
export type Handler = (request: OutgoingRequest) => Promise<HttpResponse>;

/** Adds one concern to a handler. */
export type Layer = (next: Handler) => Handler;

/** The handler that a call passes layer by layer, the first one first, until it reaches the last handler. */
export const chain = (layers: readonly Layer[], last: Handler): Handler =>
  layers.reduceRight((next, layer) => layer(next), last);
