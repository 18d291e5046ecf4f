import type { Plan } from '../document/plan.ts';
import { ByteQuota } from '../rest/shares.ts';

/** A token or a selection of a plan takes up to this much. Unit: bytes. */
const BYTES_PER_PART = 1024;

/** What open subscriptions keep of their requests, all together and those of one caller. */
export interface SubscriptionRoom {
  /** Takes room for one more, and returns the function that gives it back; null if there is none. */
  take(kept: KeptRequest): (() => void) | null;
}

/** What is kept of a request until its subscription ends. */
interface KeptRequest {
  readonly plan: Plan;
  readonly variables: Readonly<Record<string, unknown>>;
  /** That of the caller. */
  readonly share: string;
}

/** A plan that subscriptions share. It counts once, for the caller that brought it. */
interface SharedPlan {
  readonly share: string;
  readonly bytes: number;
  holders: number;
}

/** Unit: bytes. */
export interface RoomBounds {
  readonly inAll: number;
  readonly oneCaller: number;
}

export function createSubscriptionRoom(bounds: RoomBounds): SubscriptionRoom {
  const quota = new ByteQuota(bounds);
  const plans = new Map<Plan, SharedPlan>();

  function holdPlan(plan: Plan, share: string): SharedPlan | null {
    const known = plans.get(plan);
    if (known !== undefined) return known;
    const { tokens, selections } = plan.prepared;
    const bytes = (tokens + selections) * BYTES_PER_PART;
    if (!quota.reserve(share, bytes)) return null;
    const shared: SharedPlan = { share, bytes, holders: 0 };
    plans.set(plan, shared);
    return shared;
  }

  function letGoPlan(plan: Plan, { share, bytes, holders }: SharedPlan): void {
    if (holders > 0) return;
    plans.delete(plan);
    quota.release(share, bytes);
  }

  return {
    take({ plan, variables, share }) {
      const shared = holdPlan(plan, share);
      if (shared === null) return null;
      const bytes = JSON.stringify(variables).length * 2;
      if (!quota.reserve(share, bytes)) {
        letGoPlan(plan, shared);
        return null;
      }
      shared.holders += 1;
      return () => {
        shared.holders -= 1;
        letGoPlan(plan, shared);
        quota.release(share, bytes);
      };
    },
  };
}
