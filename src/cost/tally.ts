/** What an operation may cost, in REST calls, known before the first. Retries are not counted. */
export interface Cost {
  /** The calls it makes when all goes as configured. */
  readonly base: number;
  /** The calls its lists may make on top, to find a cursor again or to walk to an end. */
  readonly extra: number;
  /** The path that costs most, `conversations.messages`; null when nothing costs. */
  readonly mostExpensive: { readonly path: string; readonly calls: number } | null;
}

interface Charge {
  /** What is fetched; the same is charged once. */
  readonly key: string;
  readonly path: string;
  readonly base: number;
  readonly extra?: number;
}

export interface Tally {
  charge(charge: Charge): void;
  price(): Cost;
}

export function createTally(): Tally {
  const charged = new Set<string>();
  const byPath = new Map<string, number>();
  let base = 0;
  let extra = 0;
  return {
    charge(charge) {
      if (charged.has(charge.key)) return;
      charged.add(charge.key);
      base += charge.base;
      extra += charge.extra ?? 0;
      byPath.set(charge.path, (byPath.get(charge.path) ?? 0) + charge.base);
    },
    price() {
      const [mostExpensive] = [...byPath].toSorted(([, a], [, b]) => b - a);
      return {
        base,
        extra,
        mostExpensive: mostExpensive
          ? { path: mostExpensive[0], calls: mostExpensive[1] }
          : null,
      };
    },
  };
}
