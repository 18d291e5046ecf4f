import { type ByteQuota, SharedBytes } from '../callers/shares.ts';
import type { Plan } from '../document/plan.ts';

/** A token or a selection of a plan takes up to this much. Unit: bytes. */
const BYTES_PER_TOKEN_OR_SELECTION = 1024;

/**
 * Bounds what open subscriptions keep of their requests, all together and those of one caller. The function reserves room for
 * one more, and returns what releases it; null if there is none. `share`: the caller's.
 */
export function createSubscriptionRoom(quota: ByteQuota) {
  const plans = new SharedBytes(quota);
  return (
    plan: Plan,
    variables: Readonly<Record<string, unknown>>,
    share: string,
  ): (() => void) | null => {
    const bytes = JSON.stringify(variables).length * 2;
    if (!quota.reserve(share, bytes)) return null;
    if (!plans.reserve(plan, share, bytesOf(plan))) {
      quota.release(share, bytes);
      return null;
    }
    return () => {
      quota.release(share, bytes);
      plans.release(plan, share);
    };
  };
}

const bytesOf = ({ prepared: { tokens, selections, characters } }: Plan): number =>
  (tokens + selections) * BYTES_PER_TOKEN_OR_SELECTION + characters * 2;
