import { addCalls, type RecentCalls, WINDOW_SECONDS } from './window.ts';

/** Each caller has the choice of eight slots. */
const WAYS = 8;
/** A slot takes 48 bytes. Of 10,000 callers, one in a thousand loses its slot to another one. */
const SLOTS = 32_768;
/** How long a caller is known to be well after its last call. */
export const KNOWN_SECONDS = 20;
/** The second of the last call in a slot that is free. */
const NEVER = -KNOWN_SECONDS;

/**
 * The callers of the last twenty seconds of which no call has failed lately, and their calls of the last ten seconds. Nearly
 * all callers are such, so they are kept in memory that never grows and that the garbage collector need not look at. If all
 * slots of a new caller are taken, it gets the one that was not used for longest.
 */
export class WellCallers {
  readonly #numbers = new Uint32Array(SLOTS);
  /** When the caller's last call ended. Unit: seconds. */
  readonly #seconds = new Int32Array(SLOTS).fill(NEVER);
  /** Its calls in each of ten seconds, that of second n at n % 10. */
  readonly #calls = new Uint32Array(SLOTS * WINDOW_SECONDS);

  /** Adds calls of a caller that ended in this second. `number`: that of its CallerId. */
  add(number: number, second: number, calls: number): void {
    const slot = this.#slotOf(number);
    const isKnown = this.#numbers[slot] === number;
    const last = isKnown ? (this.#seconds[slot] ?? NEVER) : NEVER;
    const first = slot * WINDOW_SECONDS;
    const before = Math.max(last, second - WINDOW_SECONDS, -1);
    for (let empty = before + 1; empty <= second; empty += 1)
      this.#calls[first + (empty % WINDOW_SECONDS)] = 0;
    const at = first + (second % WINDOW_SECONDS);
    this.#numbers[slot] = number;
    this.#seconds[slot] = second;
    this.#calls[at] = (this.#calls[at] ?? 0) + calls;
  }

  has(number: number, second: number): boolean {
    const slot = this.#slotOf(number);
    return this.#numbers[slot] === number && this.#isRecent(slot, second);
  }

  /** Whether there is any. */
  some(second: number): boolean {
    return this.#seconds.some((_, slot) => this.#isRecent(slot, second));
  }

  /** Takes a caller out, of which a call has failed. Returns its calls. */
  take(number: number, second: number): RecentCalls {
    const window: RecentCalls = { newest: null };
    if (!this.has(number, second)) return window;
    const slot = this.#slotOf(number);
    const last = this.#seconds[slot] ?? NEVER;
    const before = Math.max(second - WINDOW_SECONDS, -1);
    for (let past = before + 1; past <= last; past += 1) {
      const calls = this.#calls[slot * WINDOW_SECONDS + (past % WINDOW_SECONDS)] ?? 0;
      addCalls(window, past, { calls, failures: 0 });
    }
    this.#seconds[slot] = NEVER;
    return window;
  }

  /** They stay known, but their calls do not count any more. */
  forgetCalls(): void {
    this.#calls.fill(0);
  }

  /** The slot of a caller; if it has none, the slot that it would get. */
  #slotOf(number: number): number {
    const first = (number % (SLOTS / WAYS)) * WAYS;
    let oldest = first;
    for (let slot = first; slot < first + WAYS; slot += 1) {
      if (this.#numbers[slot] === number) return slot;
      if ((this.#seconds[slot] ?? 0) < (this.#seconds[oldest] ?? 0)) oldest = slot;
    }
    return oldest;
  }

  #isRecent(slot: number, second: number): boolean {
    return (this.#seconds[slot] ?? NEVER) > second - KNOWN_SECONDS;
  }
}
