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

/** Bounds what open subscriptions keep of their requests, all together and those of one caller. */
export class SubscriptionRoom {
  readonly #quota: ByteQuota;
  readonly #plans = new Map<Plan, SharedPlan>();

  constructor(bounds: RoomBounds) {
    this.#quota = new ByteQuota(bounds);
  }

  /** Reserves room for one more, and returns the function that releases it; null if there is none. `share`: the caller's. */
  reserve(
    plan: Plan,
    variables: Readonly<Record<string, unknown>>,
    share: string,
  ): (() => void) | null {
    const bytes = JSON.stringify(variables).length * 2;
    if (!this.#quota.reserve(share, bytes)) return null;
    const shared = this.#plans.get(plan) ?? this.#add(plan, share);
    if (shared === null) {
      this.#quota.release(share, bytes);
      return null;
    }
    shared.subscriptions += 1;
    return () => {
      this.#quota.release(share, bytes);
      shared.subscriptions -= 1;
      if (shared.subscriptions > 0) return;
      this.#plans.delete(plan);
      this.#quota.release(shared.share, shared.bytes);
    };
  }

  #add(plan: Plan, share: string): SharedPlan | null {
    const { tokens, selections } = plan.prepared;
    const bytes = (tokens + selections) * BYTES_PER_PART;
    if (!this.#quota.reserve(share, bytes)) return null;
    const shared = { share, bytes, subscriptions: 0 };
    this.#plans.set(plan, shared);
    return shared;
  }
}
