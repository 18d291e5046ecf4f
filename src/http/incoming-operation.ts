import { IS_OVER } from '../callers/abort.ts';
import { Lifetime } from '../callers/time-limit.ts';
import type { HttpContext } from './context.ts';
import type { Batch, Drain } from './drain.ts';

/**
 * An operation whose request has come whole, over HTTP or in this process: its time begins, and a drain waits for it. To be
 * ended when its response is sent, or its client has left.
 */
export class IncomingOperation extends Lifetime {
  readonly #drain: Drain;
  readonly #batch: Batch;
  #isAnswered = false;
  #isOver = false;

  constructor({ operationTime, drain }: Pick<HttpContext, 'operationTime' | 'drain'>) {
    super(operationTime);
    this.#drain = drain;
    this.#batch = drain.begin();
  }

  /** Its answer is known. */
  answered(): void {
    this.stopDeadline();
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#drain.answered(this.#batch);
  }

  /** An application may close its response twice. */
  readonly end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.answered();
    this.abort(IS_OVER);
    this.#drain.end(this.#batch);
  };
}
