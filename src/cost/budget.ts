import { OperationalError } from '../rest/errors.ts';
import type { Price } from './price.ts';

/** The operation needs a call more than it was priced at, because the service does not behave as its interface says. */
class BudgetError extends OperationalError {
  override readonly code = 'OPERATION_TOO_COSTLY';
}

/** The REST calls that one operation may make, and has made. Until the operation is priced, it is closed: it allows no call. */
export class Budget {
  #estimated: number | null = null;
  #slack = 0;
  /** The calls that `maxCalls` allows beyond the estimate. */
  #unclaimed = 0;
  #actual = 0;

  /** Opens the budget: the expected calls, plus as much of the slack as fits under `maxCalls`. */
  open({ expected, slack }: Pick<Price, 'expected' | 'slack'>, maxCalls: number): void {
    this.#slack = Math.max(0, Math.min(slack, maxCalls - expected));
    this.#estimated = expected + this.#slack;
    this.#unclaimed = Math.max(0, maxCalls - this.#estimated);
  }

  /** Spends one call; throws BudgetError if none is left. */
  spend(): void {
    const allowed = this.#estimated ?? 0;
    if (this.#actual >= allowed) {
      throw new BudgetError(
        `This operation needs more calls to the service than the ${allowed} that were computed before its first one.`,
      );
    }
    this.#actual += 1;
  }

  /** Takes one call of the slack, or, when that is used up, of what nothing claims; false if none is left. */
  takeSlack(): boolean {
    if (this.#slack > 0) {
      this.#slack -= 1;
      return true;
    }
    if (this.#unclaimed === 0 || this.#estimated === null) return false;
    this.#unclaimed -= 1;
    this.#estimated += 1;
    return true;
  }

  /** Null while the budget is closed. `estimated` grows when a page needs more calls than its list was priced at. */
  report(): { readonly estimated: number; readonly actual: number } | null {
    return this.#estimated === null
      ? null
      : { estimated: this.#estimated, actual: this.#actual };
  }
}
