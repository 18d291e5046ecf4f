import { LRUCache } from 'lru-cache';
import { CallerId, type CallerOf } from './caller-id.ts';
import { type BreakerState, type CallHealth, Circuit } from './circuit.ts';
import { isSuccess, UNAUTHORIZED } from './status.ts';

/** How far back calls count. */
const WINDOW_SECONDS = 10;
/** A token stays accepted for so long without a call. Unit: milliseconds. */
const ACCEPTED_MS = 3_600_000;
/** What is known of a caller takes some 550 bytes. */
const MAX_ACCEPTED = 20_000;
const MAX_FAILING = 10_000;
/** Twice as long as calls are counted: its circuit may be open for longer than that. Unit: milliseconds. */
const FAILING_MS = 2000 * WINDOW_SECONDS;
/** For how long the last call of a caller says how it fares. Unit: milliseconds. */
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
  readonly calls = new RecentCalls();
  /** Those of them that it made as a stranger; null if there are none. */
  callsAsStranger: RecentCalls | null = null;
  readonly circuit = new Circuit();
  /** Whether its last call went well, and when that ended. Unit: milliseconds. */
  #wentWell = false;
  #endedAt = Number.NEGATIVE_INFINITY;

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

/** For tests, which set the time: see the options of lru-cache. */
type CacheClock = Pick<
  LRUCache.OptionsBase<string, object, unknown>,
  'perf' | 'ttlResolution'
>;

/**
 * What is known of callers: of those whose tokens the service has accepted, and of those of which a call has failed in the
 * last twenty seconds. Both tables are bounded, and strangers cannot fill the first. Times are in milliseconds.
 */
export class Callers {
  readonly #accepted: LRUCache<string, CallerState>;
  readonly #failing: LRUCache<string, CallerState>;

  /** `clock`: by default the process's own, whose time is read once a second. */
  constructor(clock: CacheClock = {}) {
    const used = { updateAgeOnGet: true, ttlResolution: 1000, ...clock };
    this.#accepted = new LRUCache({ max: MAX_ACCEPTED, ttl: ACCEPTED_MS, ...used });
    this.#failing = new LRUCache({ max: MAX_FAILING, ttl: FAILING_MS, ...used });
  }

  readonly identify: CallerOf = (token, address) =>
    new CallerId(token, this.#isAccepted, address);

  readonly #isAccepted = (key: string) => this.#accepted.peek(key) !== undefined;

  /** Whether no call of any caller has failed lately. */
  get areAllWell(): boolean {
    return this.#failing.size === 0;
  }

  /** Whether any caller's token was accepted. */
  get hasAccepted(): boolean {
    return this.#accepted.size > 0;
  }

  /** What is known of a caller that wants to make a call; undefined if nothing is. */
  find({ key }: CallerId): CallerState | undefined {
    return this.#accepted.get(key) ?? this.#failing.get(key);
  }

  /** Notes how a call of this caller ended. Returns what is known of it now. `status`: null if there was no answer. */
  noteEnd(
    { key }: CallerId,
    health: CallHealth,
    status: number | null,
    at: number,
  ): CallerState | undefined {
    if (status === UNAUTHORIZED) this.#accepted.delete(key);
    const isAccepted = status !== null && isSuccess(status);
    const hasFailed = health === 'failing' || health === 'unreachable';
    const known = this.#accepted.get(key);
    let state = known ?? this.#failing.get(key);
    if (isAccepted || hasFailed) state ??= new CallerState();
    if (state === undefined) return undefined;
    if (isAccepted && known === undefined) this.#accepted.set(key, state);
    if (hasFailed) this.#failing.set(key, state);
    state.noteEnd(health, at);
    return state;
  }

  /** Those of which a call has failed lately. */
  get failing(): Iterable<CallerState> {
    return this.#failing.values();
  }

  forgetCalls(): void {
    for (const state of this.#accepted.values()) state.forgetCalls();
    for (const state of this.#failing.values()) state.forgetCalls();
  }

  /** `closed` if the circuit of any caller is, or if there have been no callers lately. */
  circuitsAt(at: number): BreakerState {
    for (const state of this.#accepted.values())
      if (state.circuit.isClosed && state.isWell(at)) return 'closed';
    const states = Array.from(this.failing, ({ circuit }) => circuit.state);
    if (states.length === 0 || states.includes('closed')) return 'closed';
    return states.includes('half-open') ? 'half-open' : 'open';
  }
}
