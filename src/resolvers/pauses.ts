import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FieldNode } from 'graphql';
import type { AnswerSize } from '../cost/objects.ts';

/** How much of an answer may be completed without a pause; this takes some 50 ms. Unit: objects and values. */
const OBJECTS_AT_ONCE = 20_000;

/** Divides the work on a large answer into parts: in the pauses between them, the event loop serves other requests. */
export interface Pauses {
  /** Learns, before execution, how large the answer may be. */
  expect(size: AnswerSize): void;
  /** How many objects and values that is. */
  readonly objects: number;
  /** Whether the answer is so large that its parts wait for pauses. */
  readonly areNeeded: boolean;
  /** The pause before one more part of a large answer; undefined if the answer is small. */
  next(): Promise<void> | undefined;
  /** Whether several items of a field are too much for one part. */
  isLong(count: number, fields: readonly FieldNode[]): boolean;
  /** The items of a field, with as many pauses as their size needs. */
  pace<T>(items: readonly T[], fields: readonly FieldNode[]): readonly (T | Promise<T>)[];
}

/** A class, because every operation has one and few use it. */
class AnswerPauses implements Pauses {
  #size: AnswerSize | null = null;
  #last: Promise<void> | undefined;

  expect(size: AnswerSize): void {
    this.#size = size;
  }

  get objects(): number {
    return this.#size?.objects ?? 0;
  }

  get areNeeded(): boolean {
    return this.objects > OBJECTS_AT_ONCE;
  }

  next(): Promise<void> | undefined {
    if (!this.areNeeded) return undefined;
    // Each part waits for the one before it: parts that wait for the same pause would run together after it.
    this.#last = (this.#last ?? Promise.resolve()).then(() => yieldToEventLoop());
    return this.#last;
  }

  isLong(count: number, fields: readonly FieldNode[]): boolean {
    return this.#sizeOfItem(fields) * count > OBJECTS_AT_ONCE;
  }

  pace<T>(
    items: readonly T[],
    fields: readonly FieldNode[],
  ): readonly (T | Promise<T>)[] {
    if (!this.isLong(items.length, fields)) return items;
    const atOnce = Math.max(1, Math.floor(OBJECTS_AT_ONCE / this.#sizeOfItem(fields)));
    let pause: Promise<void> | undefined;
    return items.map(async (item, index) => {
      if (index > 0 && index % atOnce === 0) pause = this.next();
      const [value] = await Promise.all([item, pause]);
      return value as T;
    });
  }

  #sizeOfItem(fields: readonly FieldNode[]): number {
    let sum = 0;
    for (const field of fields) sum += this.#size?.perItem.get(field) ?? 0;
    return sum;
  }
}

export const createPauses = (): Pauses => new AnswerPauses();
