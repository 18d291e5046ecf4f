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

/** Gives each distinct value a number. */
type NumberValue = (value: unknown) => number;

/**
 * Numbers the ids and arguments of one operation, so that keys hold short numbers and not the texts: a client may
 * repeat a variable of a megabyte under hundreds of fields. A text that was seen is found again without reading it.
 */
export function createNumbering(): NumberValue {
  const numbers = new Map<unknown, number>();
  return (value) => {
    const known = numbers.get(value) ?? numbers.size;
    numbers.set(value, known);
    return known;
  };
}
