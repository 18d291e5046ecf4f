import type { Socket } from 'node:net';
import { IS_OVER } from '../rest/abort.ts';
import type { CallerId } from '../rest/caller-id.ts';
import { Lifetime } from '../rest/time-limit.ts';
import type { HttpContext } from './context.ts';
import type { Drain } from './drain.ts';
import type { Exchange } from './exchange.ts';
import { trust } from './read-turns.ts';

/**
 * An operation whose request has come whole over HTTP: its time begins, and a drain waits for it. It is over when its response
 * is sent, or its client has left.
 */
export class Arrival extends Lifetime {
  readonly caller: CallerId;
  readonly #socket: Socket;
  readonly #drain: Drain;
  readonly #number: number;

  constructor(
    { request, response }: Exchange,
    caller: CallerId,
    { operationTime, drain }: Pick<HttpContext, 'operationTime' | 'drain'>,
  ) {
    super(operationTime);
    this.caller = caller;
    this.#socket = request.socket;
    this.#drain = drain;
    this.#number = drain.begin();
    response.on('close', () => {
      this.stopClock();
      this.abort(IS_OVER);
      drain.end(this.#number);
    });
  }

  /** Its answer is known. */
  answered(): void {
    this.#drain.answered(this.#number);
    trust(this.#socket, this.caller);
  }
}
