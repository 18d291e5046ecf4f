import type { WriterTurns } from './turns.ts';

/** A list waits for the next turn of this many writers at most. */
const MOST_WRITERS = 8;

/** The writers that have touched one list since its last poll began. The list is polled at the first turn of any of them. */
export class Writers {
  readonly #turns: WriterTurns;
  readonly #poll: () => Promise<void>;
  /** By writer, what gives its turn up; null: it does not wait yet. */
  readonly #writers = new Map<string, (() => void) | null>();
  #isWaiting = false;

  constructor(turns: WriterTurns, poll: () => Promise<void>) {
    this.#turns = turns;
    this.#poll = poll;
  }

  get size(): number {
    return this.#writers.size;
  }

  add(writer: string): void {
    if (this.#writers.has(writer) || this.size === MOST_WRITERS) return;
    this.#writers.set(writer, null);
    if (this.#isWaiting) this.#waitFor(writer);
  }

  /** Waits for the turn of one of them, and of those that are added meanwhile. */
  wait(): void {
    this.#isWaiting = true;
    for (const writer of this.#writers.keys()) this.#waitFor(writer);
  }

  /** A poll has begun, or none will follow. */
  leave(): void {
    for (const giveUp of this.#writers.values()) giveUp?.();
    this.#writers.clear();
    this.#isWaiting = false;
  }

  #waitFor(writer: string): void {
    const giveUp = this.#turns(writer, this.#poll);
    // If it was the writer's turn, the poll has begun already, and has called `leave`.
    if (this.#isWaiting) this.#writers.set(writer, giveUp);
  }
}
