import type { Change } from './change.ts';
import type { EndReason } from './subscriber.ts';
import type { LookOutcome } from './watch.ts';

/** What the watches have done, for metrics. Every label comes from a closed set. */
export interface LiveCounts {
  readonly looked: (outcome: LookOutcome) => void;
  readonly changed: (changes: readonly Change<unknown>[]) => void;
  readonly ended: (reason: EndReason) => void;
  /** How many subscriptions are open. */
  subscriptions(): number;
  /** How many lists are watched, each with one token. */
  watches(): number;
  /** How long ago the watch that has waited longest had its last good look. Unit: seconds. */
  oldestLookSeconds(): number;
  /** Looks by how they ended, changes by their kind, ended subscriptions by the reason. */
  readonly looks: ReadonlyMap<LookOutcome, number>;
  readonly changes: ReadonlyMap<Change<unknown>['kind'], number>;
  readonly ends: ReadonlyMap<EndReason, number>;
}

/** What is there now. */
interface Present {
  readonly subscriptions: () => number;
  /** Of each watch; null: it has not looked yet. Unit: milliseconds, on the clock of `now`. */
  readonly lookedAt: () => readonly (number | null)[];
  readonly now: () => number;
}

export function createLiveCounts({ subscriptions, lookedAt, now }: Present): LiveCounts {
  const looks = new Map<LookOutcome, number>();
  const changes = new Map<Change<unknown>['kind'], number>();
  const ends = new Map<EndReason, number>();
  return {
    looked: (outcome) => add(looks, outcome),
    changed(some) {
      for (const { kind } of some) add(changes, kind);
    },
    ended: (reason) => add(ends, reason),
    subscriptions,
    watches: () => lookedAt().length,
    oldestLookSeconds() {
      const at = now();
      const oldest = lookedAt().reduce<number>(
        (least, time) => Math.min(least, time ?? at),
        at,
      );
      return (at - oldest) / 1000;
    },
    looks,
    changes,
    ends,
  };
}

const add = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};
