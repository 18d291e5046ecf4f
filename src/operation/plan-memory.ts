import type { Token } from 'graphql';
import type { Plan } from '../document/plan.ts';
import type { AskedOperation } from './asked.ts';

/** The plans of operations that are repeated. */
export interface PlanMemory {
  find(asked: AskedOperation): Plan | undefined;
  /**
   * To be called when an operation was executed; keeps its plan from the second time on, because most operations are never
   * repeated. `hash` is that of the text.
   */
  saw(asked: AskedOperation & { readonly hash: string }, plan: Plan): void;
}

/** How many plans are kept that were used lately; at most the same number of older ones is kept, too. */
const MAX_KEPT_PLANS = 2000;
/** Their documents, together: with its part of the plan, a token takes up to a kilobyte. Unit: tokens. */
const MAX_KEPT_TOKENS = 60_000;
/** How many operations that were executed once are remembered. */
const MAX_SEEN = 10_000;

/** Plans by document and name of the operation. */
type Generation = Map<string, Map<string | null, Plan>>;

export function createPlanMemory(): PlanMemory {
  let recent: Generation = new Map();
  let older: Generation = new Map();
  let count = 0;
  let tokens = 0;
  const seen = new Set<string>();

  function keep({ document, operationName }: AskedOperation, plan: Plan): void {
    count += 1;
    tokens += countTokens(plan);
    if (count > MAX_KEPT_PLANS || tokens > MAX_KEPT_TOKENS) {
      older = recent;
      recent = new Map();
      count = 1;
      tokens = countTokens(plan);
    }
    const plans = recent.get(document) ?? new Map<string | null, Plan>();
    recent.set(document, plans.set(operationName, plan));
  }

  function isRepeated(key: string): boolean {
    if (seen.delete(key)) return true;
    if (seen.size === MAX_SEEN) seen.clear();
    seen.add(key);
    return false;
  }

  return {
    find(asked) {
      const { document, operationName } = asked;
      const plan = recent.get(document)?.get(operationName);
      if (plan !== undefined) return plan;
      const old = older.get(document)?.get(operationName);
      if (old !== undefined) keep(asked, old);
      return old;
    },
    saw(asked, plan) {
      if (isRepeated(`${asked.hash} ${asked.operationName}`)) keep(asked, plan);
    },
  };
}

export function countTokens({ prepared }: Plan): number {
  let count = 0;
  const first: Token | null = prepared.document.loc?.startToken ?? null;
  for (let token = first; token !== null; token = token.next) count += 1;
  return count;
}
