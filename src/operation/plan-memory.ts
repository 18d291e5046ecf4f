import type { Plan } from '../document/plan.ts';
import type { NamedOperation } from './plain-post.ts';

/** The plans of operations that are repeated. */
export interface PlanMemory {
  find(operation: NamedOperation): Plan | undefined;
  /**
   * To be called when an operation has got a plan; keeps it from the second time on, because most operations are never
   * repeated. `hash` is that of the text.
   */
  saw(operation: NamedOperation & { readonly hash: string }, plan: Plan): void;
}

/** How many plans are kept that were used lately; at most the same number of older ones is kept, too. */
const MAX_KEPT_PLANS = 2000;
/** What a plan consists of takes up to a kilobyte each: its tokens, its selections, and pieces of its text. */
const MAX_KEPT_PARTS = 60_000;
/** A document is kept with its whole text, which may be a megabyte of comments. Unit: characters. */
const CHARACTERS_PER_PART = 512;
/** How many operations that were executed once are remembered. */
const MAX_SEEN = 10_000;

interface Kept {
  readonly plan: Plan;
  /** How many selections it kept when its parts were counted. */
  readonly selections: number;
}

/** Plans by document and name of the operation. */
type Generation = Map<string, Map<string | null, Kept>>;

export function createPlanMemory(): PlanMemory {
  let recent: Generation = new Map();
  let older: Generation = new Map();
  let count = 0;
  let parts = 0;
  const seen = new Set<string>();

  function keep({ document, operationName }: NamedOperation, plan: Plan): void {
    const own = countParts(plan, document);
    count += 1;
    parts += own;
    if (count > MAX_KEPT_PLANS || parts > MAX_KEPT_PARTS) {
      older = recent;
      recent = new Map();
      count = 1;
      parts = own;
    }
    const plans = recent.get(document) ?? new Map<string | null, Kept>();
    recent.set(
      document,
      plans.set(operationName, { plan, selections: plan.countKept() }),
    );
  }

  function isRepeated(key: string): boolean {
    if (seen.delete(key)) return true;
    if (seen.size === MAX_SEEN) seen.clear();
    seen.add(key);
    return false;
  }

  return {
    find(operation) {
      const { document, operationName } = operation;
      const known = recent.get(document)?.get(operationName);
      // It grows when its variables select what they did not select before, and is counted anew then.
      if (known !== undefined && known.plan.countKept() === known.selections)
        return known.plan;
      const found = known ?? older.get(document)?.get(operationName);
      if (found !== undefined) keep(operation, found.plan);
      return found?.plan;
    },
    saw(operation, plan) {
      if (isRepeated(`${operation.hash} ${operation.operationName}`))
        keep(operation, plan);
    },
  };
}

const countParts = (plan: Plan, document: string): number =>
  plan.prepared.tokens +
  plan.countKept() +
  Math.ceil(document.length / CHARACTERS_PER_PART);
