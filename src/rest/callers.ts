import type { CallerId } from './caller-id.ts';
import { type BreakerState, type Circuit, createCircuit } from './circuit.ts';
import { createRecent } from './recent.ts';
import { KNOWN_SECONDS, WellCallers } from './well-callers.ts';
import { type RecentCalls, toSecond, WINDOW_SECONDS } from './window.ts';

/** The state of a caller takes at most a kilobyte; twice this number may be kept. */
const MAX_STATES = 5000;

/** What is known of a caller of which a call has failed: its calls, and its circuit. */
export interface CallerState extends RecentCalls {
  circuit: Circuit;
  /** When its last call ended, if that went well; null if it failed. Unit: milliseconds. */
  wellAt: number | null;
}

/** The circuit of all callers whose own has never opened. It is closed, and never changed: the first to open is made then. */
export const NEVER_OPENED: Circuit = Object.freeze(createCircuit());

/**
 * What is known of all callers. A caller gets a state when a call of it fails, and loses it when it has made no call for ten
 * seconds or more. Times are in milliseconds.
 */
export class Callers {
  readonly #well = new WellCallers();
  readonly #failing = createRecent<CallerState>({
    idleMs: WINDOW_SECONDS * 1000,
    max: MAX_STATES,
  });

  /** Whether no caller has a state. */
  get haveNoState(): boolean {
    return this.#failing.isEmpty;
  }

  /** The state of a caller that makes a call; undefined if it has none. */
  find(caller: CallerId, at: number): CallerState | undefined {
    return this.haveNoState ? undefined : this.#failing.find(caller.key, at);
  }

  /** The same, but it does not count as a call. */
  peek(caller: CallerId): CallerState | undefined {
    return this.haveNoState ? undefined : this.#failing.peek(caller.key);
  }

  /** Whether the last call of a caller went well, less than twenty seconds ago. */
  isWell(caller: CallerId, state: CallerState | undefined, at: number): boolean {
    if (state === undefined) return this.#well.has(caller.number, toSecond(at));
    return state.wellAt !== null && at - state.wellAt < KNOWN_SECONDS * 1000;
  }

  /** Notes a call of a caller without a state that went well. */
  noteWell(caller: CallerId, at: number, { counts }: { counts: boolean }): void {
    this.#well.add(caller.number, toSecond(at), counts ? 1 : 0);
  }

  /** Gives a state to a caller whose calls all went well until now. */
  addFailing(caller: CallerId, at: number): CallerState {
    const { newest } = this.#well.take(caller.number, toSecond(at));
    const state = { newest, circuit: NEVER_OPENED, wellAt: null };
    this.#failing.add(caller.key, state, at);
    return state;
  }

  /** The states of all callers that have one. */
  states(at: number): Iterable<CallerState> {
    return this.#failing.values(at);
  }

  forgetCalls(at: number): void {
    this.#well.forgetCalls();
    for (const state of this.states(at)) state.newest = null;
  }

  /** `closed` if the circuit of any caller is, or if there have been no callers lately. */
  circuitsAt(at: number): BreakerState {
    if (this.#well.some(toSecond(at))) return 'closed';
    const states = new Set(Array.from(this.states(at), ({ circuit }) => circuit.state));
    if (states.has('closed') || states.size === 0) return 'closed';
    return states.has('half-open') ? 'half-open' : 'open';
  }
}
