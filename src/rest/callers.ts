import { LRUCache } from 'lru-cache';
import { CallerId, type CallerOf } from './caller-id.ts';
import { type BreakerState, type Circuit, createCircuit } from './circuit.ts';
import { isSuccess } from './response.ts';
import type { Verdict } from './verdict.ts';
import { type RecentCalls, WINDOW_SECONDS } from './window.ts';

/** A token stays accepted for so long without a call. Unit: milliseconds. */
const ACCEPTED_MS = 3_600_000;
/** What is known of a caller takes some 250 bytes, at most a kilobyte. */
const MAX_ACCEPTED = 20_000;
const MAX_FAILING = 10_000;
/** Twice as long as calls are counted: its circuit may be open for longer than that. Unit: milliseconds. */
const FAILING_MS = 2000 * WINDOW_SECONDS;
/** For how long a caller is known to be well after its last call. Unit: milliseconds. */
const WELL_MS = 20_000;

/** The status by which the service refuses a token, also one that it has accepted before. */
const UNAUTHORIZED = 401;

/** Of tests, which set the time: see the options of lru-cache. */
export type CacheClock = Pick<
  LRUCache.OptionsBase<string, object, unknown>,
  'perf' | 'ttlResolution'
>;

/** What is known of a caller: its calls of the last ten seconds, and its circuit. */
export interface CallerState extends RecentCalls {
  circuit: Circuit;
  /** When its last call ended, if that went well; null if it failed. Unit: milliseconds. */
  wellAt: number | null;
}

/** The circuit of all callers whose own has never opened. It is closed, and never changed: the first to open is made then. */
export const NEVER_OPENED: Circuit = Object.freeze(createCircuit());

/**
 * What is known of callers: of those whose tokens the service has accepted, and of those of which a call has failed in the
 * last twenty seconds. Both tables are bounded, and strangers cannot fill the first. Times are in milliseconds.
 */
export class Callers {
  readonly #accepted: LRUCache<string, CallerState>;
  readonly #failing: LRUCache<string, CallerState>;

  /** `clock`: by default the process's own, whose time is read once in a millisecond. */
  constructor(clock: CacheClock = {}) {
    const used = { updateAgeOnGet: true, ...clock };
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

  /** What is known of a caller that makes a call; undefined if nothing is. */
  find({ key }: CallerId): CallerState | undefined {
    return this.#accepted.get(key) ?? this.#failing.get(key);
  }

  /** The same, but it does not count as a call. */
  peek({ key }: CallerId): CallerState | undefined {
    return this.#accepted.peek(key) ?? this.#failing.peek(key);
  }

  /** Notes how a call of this caller ended. Returns what is known of it now. `status`: null if there was no answer. */
  noteEnd(
    { key }: CallerId,
    { verdict, status }: { verdict: Verdict; status: number | null },
    at: number,
  ): CallerState | undefined {
    if (status === UNAUTHORIZED) this.#accepted.delete(key);
    const isAccepted = status !== null && isSuccess(status);
    const hasFailed = verdict === 'failing' || verdict === 'unreachable';
    const known = this.#accepted.get(key);
    let state = known ?? this.#failing.get(key);
    if (isAccepted || hasFailed)
      state ??= { newest: null, circuit: NEVER_OPENED, wellAt: null };
    if (state === undefined) return undefined;
    if (isAccepted && known === undefined) this.#accepted.set(key, state);
    if (hasFailed) this.#failing.set(key, state);
    if (verdict !== null) state.wellAt = verdict === 'well' ? at : null;
    return state;
  }

  /** Those of which a call has failed lately. */
  get failing(): Iterable<CallerState> {
    return this.#failing.values();
  }

  forgetCalls(): void {
    for (const state of this.#accepted.values()) state.newest = null;
    for (const state of this.#failing.values()) state.newest = null;
  }

  /** `closed` if the circuit of any caller is, or if there have been no callers lately. */
  circuitsAt(at: number): BreakerState {
    for (const state of this.#accepted.values())
      if (state.circuit.state === 'closed' && isWell(state, at)) return 'closed';
    const states = new Set(Array.from(this.failing, ({ circuit }) => circuit.state));
    if (states.has('closed') || states.size === 0) return 'closed';
    return states.has('half-open') ? 'half-open' : 'open';
  }
}

/** Whether the last call of a caller went well, less than twenty seconds ago. */
export const isWell = (state: CallerState | undefined, at: number): boolean =>
  state?.wellAt != null && at - state.wellAt < WELL_MS;
