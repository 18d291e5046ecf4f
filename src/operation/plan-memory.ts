import { LRUCache } from 'lru-cache';
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

/** Those used least recently are dropped. */
const MAX_PLANS = 4000;
/** What a plan consists of takes up to a kilobyte each: its tokens, its selections, and pieces of its text. */
const MAX_PARTS = 120_000;
/** A document is kept with its whole text, which may be a megabyte of comments. Unit: characters. */
const CHARACTERS_PER_PART = 512;
/** How many operations that were executed once are remembered. */
const MAX_SEEN = 10_000;

interface Kept {
  readonly plan: Plan;
  /** How many selections it kept when its parts were counted. */
  readonly selections: number;
}

export function createPlanMemory(): PlanMemory {
  const plans = new LRUCache<string, Kept>({
    max: MAX_PLANS,
    maxSize: MAX_PARTS,
    sizeCalculation: ({ plan, selections }, { length }) =>
      plan.prepared.tokens + selections + Math.ceil(length / CHARACTERS_PER_PART),
  });
  const seen = new Set<string>();

  const keep = (key: string, plan: Plan) =>
    plans.set(key, { plan, selections: plan.countKept() });

  return {
    find(operation) {
      const key = toKey(operation);
      const known = plans.get(key);
      // It grows when its variables select what they did not select before, and is counted anew then.
      if (known !== undefined && known.plan.countKept() !== known.selections)
        keep(key, known.plan);
      return known?.plan;
    },
    saw(operation, plan) {
      const name = `${operation.hash} ${operation.operationName}`;
      if (seen.delete(name)) return void keep(toKey(operation), plan);
      if (seen.size === MAX_SEEN) seen.clear();
      seen.add(name);
    },
  };
}

/** No name has a line break. */
const toKey = ({ document, operationName }: NamedOperation): string =>
  `${operationName ?? ''}\n${document}`;
