import type { Cost } from './tally.ts';

/** The operation needs a call more than it was priced at, because the service does not behave as its interface says. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
}

/** The REST calls that one operation may make, and has made. */
export interface Budget {
  /** Opens the budget: the expected calls, plus as much of the slack as fits under `maxCalls`. */
  open(cost: Cost, maxCalls: number): void;
  /** Spends one call; throws BudgetError if none is left. */
  spend(): void;
  /** Takes one call of the slack; false if none is left. */
  takeSlack(): boolean;
  /** Null while the budget is closed. */
  report(): { readonly estimated: number; readonly actual: number } | null;
}

/** Creates a closed budget, which allows no call until the operation is priced. */
export function createBudget(): Budget {
  let estimated: number | null = null;
  let slack = 0;
  let actual = 0;
  // Thrown again and again: an operation may need thousands of calls too many, and each new error would record a stack.
  let noCallLeft: BudgetError | null = null;
  return {
    open(cost, maxCalls) {
      slack = Math.max(0, Math.min(cost.slack, maxCalls - cost.expected));
      estimated = cost.expected + slack;
    },
    spend() {
      const allowed = estimated ?? 0;
      if (actual >= allowed) {
        noCallLeft ??= new BudgetError(
          `This operation needs more calls to the service than the ${allowed} that were computed before its first one.`,
        );
        throw noCallLeft;
      }
      actual += 1;
    },
    takeSlack() {
      if (slack === 0) return false;
      slack -= 1;
      return true;
    },
    report: () => (estimated === null ? null : { estimated, actual }),
  };
}
