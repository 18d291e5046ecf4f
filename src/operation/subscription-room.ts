import type { Plan } from '../document/plan.ts';
import { ByteQuota } from '../rest/shares.ts';

/** A token or a selection of a plan takes up to this much. Unit: bytes. */
const BYTES_PER_PART = 1024;

/** Unit: bytes. */
export interface RoomBounds {
  readonly inAll: number;
  readonly oneCaller: number;
}

/** A plan that subscriptions share. It counts once, for the caller that brought it. */
interface SharedPlan {
  readonly share: string;
  readonly bytes: number;
  subscriptions: number;
}

/**
 * Bounds what open subscriptions keep of their requests, all together and those of one caller. The function reserves room for
 * one more, and returns what releases it; null if there is none. `share`: the caller's.
 */
export function createSubscriptionRoom(bounds: RoomBounds) {
  const quota = new ByteQuota(bounds);
  const plans = new Map<Plan, SharedPlan>();

  function add(plan: Plan, share: string): SharedPlan | null {
    const { tokens, selections, characters } = plan.prepared;
    const bytes = (tokens + selections) * BYTES_PER_PART + characters * 2;
    if (!quota.reserve(share, bytes)) return null;
    const shared = { share, bytes, subscriptions: 0 };
    plans.set(plan, shared);
    return shared;
  }

  return (
    plan: Plan,
    variables: Readonly<Record<string, unknown>>,
    share: string,
  ): (() => void) | null => {
    const bytes = JSON.stringify(variables).length * 2;
    if (!quota.reserve(share, bytes)) return null;
    const shared = plans.get(plan) ?? add(plan, share);
    if (shared === null) {
      quota.release(share, bytes);
      return null;
    }
    shared.subscriptions += 1;
    return () => {
      quota.release(share, bytes);
      shared.subscriptions -= 1;
      if (shared.subscriptions > 0) return;
      plans.delete(plan);
      quota.release(shared.share, shared.bytes);
    };
  };
}
