import { IS_OVER } from '../callers/abort.ts';
import { Lifetime } from '../callers/time-limit.ts';
import type { HttpContext } from './context.ts';
import type { Drain } from './drain.ts';

/**
 * An operation whose request has come whole, over HTTP or in this process: its time begins, and a drain waits for it. To be
 * ended when its response is sent, or its client has left.
 */
export class IncomingOperation extends Lifetime {
  readonly #drain: Drain;
  readonly #number: number;

  constructor({ operationTime, drain }: Pick<HttpContext, 'operationTime' | 'drain'>) {
    super(operationTime);
    this.#drain = drain;
    this.#number = drain.begin();
  }

  /** Its answer is known. */
  answered(): void {
    this.stopDeadline();
    this.#drain.answered(this.#number);
  }

  readonly end = (): void => {
    this.stopDeadline();
    this.abort(IS_OVER);
    this.#drain.end(this.#number);
  };
}
