/** What an operation may cost in REST calls, known before the first call. Retries are not counted. */
export interface Cost {
  /** The calls it makes if the service behaves as configured. */
  readonly expected: number;
  /** The calls that its lists may make beyond that, to find a cursor again or to read to the end of a list. */
  readonly slack: number;
  /** The path that costs most, such as `conversations.messages`; null if nothing costs a call. */
  readonly mostExpensive: { readonly path: string; readonly calls: number } | null;
}

interface Charge {
  /** Identifies what is fetched: the same key is charged once. */
  readonly key: string;
  readonly path: string;
  readonly expected: number;
  readonly slack?: number;
}

export interface Tally {
  charge(charge: Charge): void;
  total(): Cost;
}

export function createTally(): Tally {
  const charged = new Set<string>();
  const byPath = new Map<string, number>();
  let expected = 0;
  let slack = 0;
  return {
    charge(charge) {
      if (charged.has(charge.key)) return;
      charged.add(charge.key);
      expected += charge.expected;
      slack += charge.slack ?? 0;
      byPath.set(charge.path, (byPath.get(charge.path) ?? 0) + charge.expected);
    },
    total() {
      const [most] = [...byPath].toSorted(([, a], [, b]) => b - a);
      return {
        expected,
        slack,
        mostExpensive: most ? { path: most[0], calls: most[1] } : null,
      };
    },
  };
}
