import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FieldNode } from 'graphql';
import type { AnswerSize } from '../cost/objects.ts';

/** How much of an answer may be completed without a pause; this takes some 50 ms. Unit: objects and values. */
const OBJECTS_PER_TURN = 20_000;

/** Divides the work on a large answer, so that other requests get their turn in between. */
export interface Turns {
  /** Learns, before execution, how large the answer may be. */
  expect(size: AnswerSize): void;
  /** How many objects and values that is. */
  readonly objects: number;
  /** Waits for a turn of its own before one more part of a large answer; undefined if the answer is small. */
  next(): Promise<void> | undefined;
  /** Whether several items of a field are too much for one turn. */
  isLong(count: number, fields: readonly FieldNode[]): boolean;
  /** The items of a field, in as many turns as their size needs. */
  pace<T>(items: readonly T[], fields: readonly FieldNode[]): readonly (T | Promise<T>)[];
}

/** A class, because every operation has one and few use it. */
class AnswerTurns implements Turns {
  #size: AnswerSize | null = null;
  #last: Promise<void> | undefined;

  expect(size: AnswerSize): void {
    this.#size = size;
  }

  get objects(): number {
    return this.#size?.objects ?? 0;
  }

  next(): Promise<void> | undefined {
    if (this.objects <= OBJECTS_PER_TURN) return undefined;
    // Each part waits for the one before it: parts that wait for the same turn would run without a pause.
    this.#last = (this.#last ?? Promise.resolve()).then(() => yieldToEventLoop());
    return this.#last;
  }

  isLong(count: number, fields: readonly FieldNode[]): boolean {
    return this.#sizeOfItem(fields) * count > OBJECTS_PER_TURN;
  }

  pace<T>(
    items: readonly T[],
    fields: readonly FieldNode[],
  ): readonly (T | Promise<T>)[] {
    if (!this.isLong(items.length, fields)) return items;
    const atOnce = Math.max(1, Math.floor(OBJECTS_PER_TURN / this.#sizeOfItem(fields)));
    let turn: Promise<void> | undefined;
    return items.map(async (item, index) => {
      if (index > 0 && index % atOnce === 0) turn = this.next();
      const [value] = await Promise.all([item, turn]);
      return value as T;
    });
  }

  #sizeOfItem(fields: readonly FieldNode[]): number {
    let sum = 0;
    for (const field of fields) sum += this.#size?.perItem.get(field) ?? 0;
    return sum;
  }
}

export const createTurns = (): Turns => new AnswerTurns();
