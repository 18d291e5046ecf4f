import type { Turns } from './turns.ts';

/** Those whose writes touched a list since the last look at it began: the next look waits for the turn of one of them. */
export interface Writers {
  /** How many there are. */
  readonly size: number;
  /** If the others wait already, it waits beside them. */
  add(writer: string): void;
  /** Looks at the first of their turns. */
  wait(): void;
  /** A look has begun, or none will follow: nobody waits any more. */
  leave(): void;
}

/** A list waits for the next turn of this many writers at most: it looks at the first of these turns. */
const MOST_WRITERS = 8;

export function createWriters(turns: Turns, look: () => Promise<void>): Writers {
  /** Each with what gives its turn up; null: it does not wait yet. */
  const writers = new Map<string, (() => void) | null>();
  let isWaiting = false;

  function wait(): void {
    isWaiting = true;
    for (const [writer, turn] of writers) {
      if (turn !== null) continue;
      const giveUp = turns.wait(writer, look);
      // If it was the writer's turn, the look has begun, and nothing waits any more.
      if (!isWaiting) return;
      writers.set(writer, giveUp);
    }
  }

  return {
    get size() {
      return writers.size;
    },
    add(writer) {
      if (writers.has(writer) || writers.size === MOST_WRITERS) return;
      writers.set(writer, null);
      if (isWaiting) wait();
    },
    wait,
    leave() {
      for (const giveUp of writers.values()) giveUp?.();
      writers.clear();
      isWaiting = false;
    },
  };
}
