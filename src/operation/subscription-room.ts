import type { Plan } from '../document/plan.ts';
import { Holdings } from '../rest/holdings.ts';
import { countTokens } from './plan-memory.ts';

/** A token takes up to a kilobyte with its part of the plan. Unit: bytes. */
const BYTES_PER_TOKEN = 1024;

/** What open subscriptions keep of their requests, all together and those of one caller. */
export interface SubscriptionRoom {
  /** Takes room for one more, and returns the function that gives it back; null if there is none. */
  take(kept: KeptRequest): (() => void) | null;
}

/** What is kept of a request until its subscription ends. */
interface KeptRequest {
  readonly plan: Plan;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly token: string | null;
}

/** A plan that subscriptions share. It counts once, for the caller that brought it. */
interface SharedPlan {
  readonly token: string | null;
  readonly bytes: number;
  holders: number;
}

/** Unit: bytes. */
export function createSubscriptionRoom(bounds: {
  readonly inAll: number;
  readonly oneCaller: number;
}): SubscriptionRoom {
  const holdings = new Holdings(bounds);
  const plans = new Map<Plan, SharedPlan>();

  function holdPlan(plan: Plan, token: string | null): SharedPlan | null {
    const known = plans.get(plan);
    if (known !== undefined) return known;
    const bytes = countTokens(plan) * BYTES_PER_TOKEN;
    if (!holdings.take(token, bytes)) return null;
    const shared: SharedPlan = { token, bytes, holders: 0 };
    plans.set(plan, shared);
    return shared;
  }

  function letGoPlan(plan: Plan, { token, bytes, holders }: SharedPlan): void {
    if (holders > 0) return;
    plans.delete(plan);
    holdings.letGo(token, bytes);
  }

  return {
    take({ plan, variables, token }) {
      const shared = holdPlan(plan, token);
      if (shared === null) return null;
      const bytes = JSON.stringify(variables).length * 2;
      if (!holdings.take(token, bytes)) {
        letGoPlan(plan, shared);
        return null;
      }
      shared.holders += 1;
      return () => {
        shared.holders -= 1;
        letGoPlan(plan, shared);
        holdings.letGo(token, bytes);
      };
    },
  };
}
