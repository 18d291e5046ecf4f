/** Random choices that are the same for the same seed. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  /** One of them; there must be one. */
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
  shuffle<T>(items: readonly T[]): T[];
  /** Hexadecimal digits, for ids that look like real ones. */
  hex(digits: number): string;
}

/** The mulberry32 generator: short, and good enough for sample data. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);

  return {
    below,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    chance: (probability) => next() < probability,
    shuffle: (items) =>
      items
        .map((item) => ({ item, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item),
    hex: (digits) => 'x'.repeat(digits).replaceAll('x', () => below(16).toString(16)),
  };
}
