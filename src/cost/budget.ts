import type { Cost } from './tally.ts';

/** A call beyond what the operation was priced at: the service led further than its interface says. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
}

/** The REST calls one operation may make, and has made. */
export interface Budget {
  /** Sets what may be spent: the price, and of its extra calls as many as `maxCalls` leaves. */
  open(price: Cost, maxCalls: number): void;
  /** One call; throws BudgetError if none is left. */
  spend(): void;
  /** Takes one of the extra calls, if there is one. */
  takeExtra(): boolean;
  readonly estimated: number;
  readonly actual: number;
}

/** Closed until it is opened: no call can be made that was not priced. */
export function createBudget(): Budget {
  let estimated = 0;
  let extra = 0;
  let actual = 0;
  return {
    open(price, maxCalls) {
      extra = Math.max(0, Math.min(price.extra, maxCalls - price.base));
      estimated = price.base + extra;
    },
    spend() {
      if (actual >= estimated) {
        throw new BudgetError(
          'This would be more calls than the operation was priced at.',
        );
      }
      actual += 1;
    },
    takeExtra() {
      if (extra === 0) return false;
      extra -= 1;
      return true;
    },
    get estimated() {
      return estimated;
    },
    get actual() {
      return actual;
    },
  };
}
