import { CallerId, type CallerOf } from './caller-id.ts';
import { type BreakerState, type Circuit, createCircuit } from './circuit.ts';
import { createRecent } from './recent.ts';
import { isSuccess } from './response.ts';
import type { Verdict } from './verdict.ts';
import { type RecentCalls, WINDOW_SECONDS } from './window.ts';

/** A token stays accepted for an hour without a call, at most for two. Unit: milliseconds. */
const ACCEPTED_MS = 3_600_000;
/** What is known of a caller takes some 250 bytes, at most a kilobyte. At most twice this number is kept. */
const MAX_ACCEPTED = 10_000;
const MAX_FAILING = 5000;
/** For how long a caller is known to be well after its last call. Unit: milliseconds. */
const WELL_MS = 20_000;

/** The status by which the service refuses a token, also one that it has accepted before. */
const UNAUTHORIZED = 401;

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
 * last ten to twenty seconds. Both tables are bounded, and strangers cannot fill the first. Times are in milliseconds.
 */
export class Callers {
  readonly #accepted = createRecent<CallerState>({
    idleMs: ACCEPTED_MS,
    max: MAX_ACCEPTED,
  });
  readonly #failing = createRecent<CallerState>({
    idleMs: WINDOW_SECONDS * 1000,
    max: MAX_FAILING,
  });

  readonly identify: CallerOf = (token, address) =>
    new CallerId(token, this.#isAccepted, address);

  readonly #isAccepted = (key: string) => this.#accepted.peek(key) !== undefined;

  /** Whether no call of any caller has failed lately. */
  get areAllWell(): boolean {
    return this.#failing.isEmpty;
  }

  /** Whether any caller's token was accepted. */
  get hasAccepted(): boolean {
    return !this.#accepted.isEmpty;
  }

  /** What is known of a caller that makes a call; undefined if nothing is. */
  find({ key }: CallerId, at: number): CallerState | undefined {
    return this.#accepted.find(key, at) ?? this.#failing.find(key, at);
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
    if (status === UNAUTHORIZED) this.#accepted.remove(key);
    const isAccepted = status !== null && isSuccess(status);
    const hasFailed = verdict === 'failing' || verdict === 'unreachable';
    const known = this.#accepted.find(key, at);
    let state = known ?? this.#failing.find(key, at);
    if (isAccepted || hasFailed)
      state ??= { newest: null, circuit: NEVER_OPENED, wellAt: null };
    if (state === undefined) return undefined;
    if (isAccepted && known === undefined) this.#accepted.add(key, state, at);
    if (hasFailed) this.#failing.add(key, state, at);
    if (verdict !== null) state.wellAt = verdict === 'well' ? at : null;
    return state;
  }

  /** Those of which a call has failed lately. */
  failing(at: number): Iterable<CallerState> {
    return this.#failing.values(at);
  }

  forgetCalls(at: number): void {
    for (const state of this.#accepted.values(at)) state.newest = null;
    for (const state of this.#failing.values(at)) state.newest = null;
  }

  /** `closed` if the circuit of any caller is, or if there have been no callers lately. */
  circuitsAt(at: number): BreakerState {
    for (const state of this.#accepted.values(at))
      if (state.circuit.state === 'closed' && isWell(state, at)) return 'closed';
    const states = new Set(Array.from(this.failing(at), ({ circuit }) => circuit.state));
    if (states.has('closed') || states.size === 0) return 'closed';
    return states.has('half-open') ? 'half-open' : 'open';
  }
}

/** Whether the last call of a caller went well, less than twenty seconds ago. */
export const isWell = (state: CallerState | undefined, at: number): boolean =>
  state?.wellAt != null && at - state.wellAt < WELL_MS;
