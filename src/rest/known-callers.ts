import { LRUCache } from 'lru-cache';
import { CallerId, type CallerOf } from '../callers/caller-id.ts';
import { CallerState, WINDOW_SECONDS } from '../callers/caller-state.ts';
import type { BreakerState, CallHealth } from '../callers/circuit.ts';
import { isSuccess, UNAUTHORIZED } from './status.ts';

/** A token stays accepted for so long without a call. Unit: milliseconds. */
const ACCEPTED_MS = 3_600_000;
/** What is known of a caller takes some 570 bytes; 880 if it made calls as a stranger. */
const MAX_ACCEPTED = 20_000;
const MAX_FAILING = 10_000;
/** Twice the counting window: a circuit may stay open longer than its calls count. Unit: milliseconds. */
const FAILING_MS = 2000 * WINDOW_SECONDS;

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
    // With `max` instead of sizes, room for all of them would be allocated at once.
    const sizeCalculation = () => 1;
    const used = { sizeCalculation, updateAgeOnGet: true, ttlResolution: 1000, ...clock };
    this.#accepted = new LRUCache({
      maxSize: MAX_ACCEPTED,
      ttl: ACCEPTED_MS,
      dispose: (state) => {
        state.isAccepted = false;
      },
      ...used,
    });
    this.#failing = new LRUCache({ maxSize: MAX_FAILING, ttl: FAILING_MS, ...used });
  }

  readonly identify: CallerOf = (name, address) =>
    new CallerId(name, this.#isAccepted, address);

  readonly #isAccepted = (key: string) => this.#accepted.peek(key) !== undefined;

  /** Whether any caller's token was accepted. */
  get hasAccepted(): boolean {
    return this.#accepted.size > 0;
  }

  /** What is known of a caller that wants to make a call; undefined if nothing is. */
  find(caller: CallerId): CallerState | undefined {
    caller.state ??= this.#accepted.get(caller.key) ?? this.#failing.get(caller.key);
    return caller.state;
  }

  /** Notes how a call of this caller ended. Returns what is known of it now. `status`: null if there was no answer. */
  noteEnd(
    caller: CallerId,
    health: CallHealth,
    status: number | null,
    at: number,
  ): CallerState | undefined {
    if (status === UNAUTHORIZED) this.#accepted.delete(caller.key);
    const isAccepted = status !== null && isSuccess(status);
    const hasFailed = health === 'failing' || health === 'unreachable';
    let state = this.find(caller);
    if (isAccepted || hasFailed) state ??= new CallerState(caller.owner);
    if (state === undefined) return undefined;
    caller.state = state;
    if (isAccepted && !state.isAccepted) {
      this.#accepted.set(caller.key, state);
      state.isAccepted = true;
    }
    if (hasFailed) this.#failing.set(caller.key, state);
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

  /** `closed` if any recent caller's circuit is, or if no caller has failed lately. */
  circuitsAt(at: number): BreakerState {
    for (const state of this.#accepted.values())
      if (state.circuit.isClosed && state.isWell(at)) return 'closed';
    const states = Array.from(this.failing, ({ circuit }) => circuit.state);
    if (states.length === 0 || states.includes('closed')) return 'closed';
    return states.includes('half-open') ? 'half-open' : 'open';
  }
}
