import { type CallHealth, Circuit } from './circuit.ts';

/** How far back calls count. */
export const WINDOW_SECONDS = 10;
/** For how long the last call of a caller shows whether the service serves it. Unit: milliseconds. */
const LATELY_MS = 20_000;

export interface Counts {
  readonly calls: number;
  readonly failures: number;
}

/** Counts the calls of the last ten seconds: all of them, and those that failed. Times in milliseconds. */
export class RecentCalls {
  /** The second of the newest calls. */
  #newest = 0;
  /** By second, modulo ten. */
  readonly #calls: number[] = Array(WINDOW_SECONDS).fill(0);
  readonly #failures: number[] = Array(WINDOW_SECONDS).fill(0);

  count(failed: boolean, at: number): void {
    const slot = this.#advance(at);
    this.#calls[slot] = (this.#calls[slot] ?? 0) + 1;
    if (failed) this.#failures[slot] = (this.#failures[slot] ?? 0) + 1;
  }

  totalAt(at: number): Counts {
    this.#advance(at);
    return { calls: sum(this.#calls), failures: sum(this.#failures) };
  }

  /** Takes out calls that were counted here and in `part`. */
  takeOut(part: RecentCalls, at: number): void {
    this.#advance(at);
    part.#advance(at);
    for (let slot = 0; slot < WINDOW_SECONDS; slot += 1) {
      this.#calls[slot] = (this.#calls[slot] ?? 0) - (part.#calls[slot] ?? 0);
      this.#failures[slot] = (this.#failures[slot] ?? 0) - (part.#failures[slot] ?? 0);
    }
  }

  clear(): void {
    this.#calls.fill(0);
    this.#failures.fill(0);
  }

  /** Drops what is too old, and returns the slot of the present second. */
  #advance(at: number): number {
    const second = Math.floor(at / 1000);
    const oldest = Math.max(this.#newest, second - WINDOW_SECONDS);
    for (let next = oldest + 1; next <= second; next += 1) {
      this.#calls[next % WINDOW_SECONDS] = 0;
      this.#failures[next % WINDOW_SECONDS] = 0;
    }
    this.#newest = second;
    return second % WINDOW_SECONDS;
  }
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, one) => total + one, 0);

/** What is known of a caller. */
export class CallerState {
  /** As CallerId has it. */
  readonly owner: string;
  /** Whether `Callers` keeps it among those whose tokens the service has accepted. */
  isAccepted = false;
  readonly calls = new RecentCalls();
  /** Those of them that it made as a stranger; null if there are none. */
  callsAsStranger: RecentCalls | null = null;
  readonly circuit = new Circuit();
  /** Whether its last call went well, and when that ended. Unit: milliseconds. */
  #wentWell = false;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(owner: string) {
    this.owner = owner;
  }

  forgetCalls(): void {
    this.calls.clear();
    this.callsAsStranger = null;
  }

  noteEnd(health: CallHealth, at: number): void {
    if (health === null) return;
    this.#wentWell = health === 'well';
    this.#endedAt = at;
  }

  /** Whether its last call went well, less than twenty seconds ago. */
  isWell(at: number): boolean {
    return this.#wentWell && at - this.#endedAt < LATELY_MS;
  }

  /** Whether its last call failed, less than twenty seconds ago. */
  hasFailed(at: number): boolean {
    return !this.#wentWell && at - this.#endedAt < LATELY_MS;
  }
}
