import { IS_OVER } from '../callers/abort.ts';
import { Lifetime } from '../callers/time-limit.ts';
import type { HttpContext } from './context.ts';
import type { Drain } from './drain.ts';
import type { Exchange } from './exchange.ts';

/**
 * An operation whose request has come whole over HTTP: its time begins, and a drain waits for it. It is over when its response
 * is sent, or its client has left.
 */
export class IncomingOperation extends Lifetime {
  readonly #drain: Drain;
  readonly #number: number;

  constructor(
    { response }: Exchange,
    { operationTime, drain }: Pick<HttpContext, 'operationTime' | 'drain'>,
  ) {
    super(operationTime);
    this.#drain = drain;
    this.#number = drain.begin();
    response.on('close', () => {
      this.stopDeadline();
      this.abort(IS_OVER);
      drain.end(this.#number);
    });
  }

  /** Its answer is known. */
  answered(): void {
    this.stopDeadline();
    this.#drain.answered(this.#number);
  }
}
