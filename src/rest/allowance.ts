/** Whether this amount may be used now; if so, counts it. */
export type Allowance = (amount: number) => boolean;

/** Limits amounts to a rate: `burst` may be used at once, and what was used comes back at `perSecond`. */
export function createAllowance(
  { burst, perSecond }: { readonly burst: number; readonly perSecond: number },
  now: () => number = () => performance.now(),
): Allowance {
  let left = burst;
  let at = now();
  return (amount) => {
    const time = now();
    left = Math.min(burst, left + ((time - at) / 1000) * perSecond);
    at = time;
    if (amount > left) return false;
    left -= amount;
    return true;
  };
}
