import { hasLeft, type Signal } from '../callers/abort.ts';
import { type CallerId, STRANGERS } from '../callers/caller-id.ts';
import { type CallerState, type Counts, RecentCalls } from '../callers/caller-state.ts';
import {
  type BreakerState,
  type CallHealth,
  type Circuit,
  CommonCircuit,
  type TrialKind,
} from '../callers/circuit.ts';
import type { OutgoingRequest } from './chain.ts';
import { OverloadedError, RestError, RestNetworkError } from './errors.ts';
import type { Callers } from './known-callers.ts';
import type { HttpResponse } from './request.ts';
import { isRefusedToken } from './status.ts';

/** Times in milliseconds. */
interface BreakerOptions {
  readonly callers: Callers;
  /** Whether any connection to the service was open at or after `since`, on the clock of the calls. */
  readonly hadConnection: (since: number) => boolean;
  /**
   * A timeout is the service's failure only if the call had a connection for this long: the time of its operation may end soon
   * after.
   */
  readonly patienceMs: number;
  readonly now?: () => number;
}

/** A call that was let through. */
export interface Permit {
  readonly caller: CallerId;
  /** When it got a connection. Unit: milliseconds. */
  readonly began: number;
  /** The part of the common circuit in which it may be a trial. */
  readonly common: Circuit;
  /** The eras of the caller's circuit and of the common one. */
  readonly ownEra: number;
  readonly commonEra: number;
}

/**
 * Circuit breakers: one for each caller, which opens on the failures of that caller's calls, and one for all callers,
 * which opens on what concerns all: no connection can be established, or the calls of several callers fail.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #callers: Callers;
  readonly #now: () => number;
  readonly #common = new CommonCircuit();
  readonly #calls = new RecentCalls();
  readonly #callsOfStrangers = new RecentCalls();

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#callers = options.callers;
    this.#now = options.now ?? performance.now.bind(performance);
  }

  /** The common circuit's state; if that is closed, the best state of the recent callers' circuits. */
  get state(): BreakerState {
    const at = this.#now();
    const forAll = this.#common.stateAt(at);
    return forAll === 'closed' ? this.#callers.circuitsAt(at) : forAll;
  }

  /** The error to refuse a call with before it waits for a connection; null if it may pass. */
  refusalOf(request: OutgoingRequest): OverloadedError | null {
    return this.#refusalOf(request, this.#callers.find(request.caller), this.#now());
  }

  /** Lets a call that has a connection through, perhaps as a trial. Throws OverloadedError. */
  enter(request: OutgoingRequest): Permit {
    const { caller } = request;
    const began = this.#now();
    const state = this.#callers.find(caller);
    const refusal = this.#refusalOf(request, state, began);
    if (refusal !== null) throw refusal;
    const ownEra = state?.circuit.era ?? 0;
    const common = this.#common.for(this.#kindOf(caller, state, began));
    const permit = { caller, began, common, ownEra, commonEra: common.era };
    state?.circuit.begin(permit);
    common.begin(permit);
    return permit;
  }

  /** The service answered a call that was let through. */
  answered(permit: Permit, { status }: HttpResponse): void {
    this.#leave(permit, healthOfAnswer(status), status);
  }

  /** There was no answer. `signal`: that of the call. */
  failed(permit: Permit, error: unknown, signal: Signal): void {
    this.#leave(permit, this.#healthOfFailure(error, signal, permit.began), null);
  }

  /** `state`: that of its caller. */
  #refusalOf(
    { call, caller }: OutgoingRequest,
    state: CallerState | undefined,
    at: number,
  ): OverloadedError | null {
    const own = state?.circuit.timeLeft(at) ?? 0;
    const kind = this.#kindOf(caller, state, at);
    const all = this.#common.for(kind).timeLeftFor(caller, at);
    // The common circuit does not stop a caller whose last call went well lately: other callers cannot take its answers.
    const left = all > own && !state?.isWell(at) ? all : own;
    if (left <= 0) return null;
    const trouble = 'not made: the service has been failing';
    return new OverloadedError(call, trouble, { retryAfterSeconds: left / 1000 });
  }

  #kindOf(caller: CallerId, state: CallerState | undefined, at: number): TrialKind {
    // A closed circuit has no trials.
    if (this.#common.isClosed) return 'other';
    if (state?.hasFailed(at)) return 'failed';
    return caller.share === STRANGERS ? 'stranger' : 'other';
  }

  #leave(permit: Permit, health: CallHealth, status: number | null): void {
    const { caller, common, ownEra, commonEra } = permit;
    const at = this.#now();
    const state = this.#callers.noteEnd(caller, health, status, at);
    const isClosed = state?.circuit.isClosedSince(ownEra) ?? true;
    if (isClosed && common.isClosedSince(commonEra)) {
      this.#countCall(caller, state, health, at);
      return;
    }
    if (state?.circuit.end(permit, ownEra, health, at)) this.#forgetFailures(state, at);
    if (!common.end(permit, commonEra, health, at)) return;
    this.#common.close(common);
    this.#forgetAllFailures();
    // The service may still fail the callers whose calls it failed last. Each shows by a trial of its own that it does not.
    for (const failing of this.#callers.failing)
      if (failing.circuit.isClosed && failing.hasFailed(at)) failing.circuit.open(at, 0);
  }

  /** Counts a call while both circuits are closed, and opens those that its failure opens. */
  #countCall(
    caller: CallerId,
    state: CallerState | undefined,
    health: CallHealth,
    at: number,
  ): void {
    if (health === null) return;
    const failed = health !== 'well';
    this.#calls.count(failed, at);
    if (health !== 'unreachable') {
      state?.calls.count(failed, at);
      if (caller.share === STRANGERS) {
        this.#callsOfStrangers.count(failed, at);
        if (state !== undefined) {
          state.callsAsStranger ??= new RecentCalls();
          state.callsAsStranger.count(failed, at);
        }
      }
    }
    if (!failed || state === undefined) return;
    if (isFailing(state.calls.totalAt(at))) state.circuit.open(at);
    const all = this.#calls.totalAt(at);
    if (!isFailing(all)) return;
    // Callers without failures need no check: without their calls, an even greater part of the calls has failed.
    const byOwner = new Map<string, Counts>();
    for (const { owner, calls: own } of this.#callers.failing) {
      const { calls, failures } = own.totalAt(at);
      const before = byOwner.get(owner) ?? { calls: 0, failures: 0 };
      byOwner.set(owner, {
        calls: before.calls + calls,
        failures: before.failures + failures,
      });
    }
    const each = [...byOwner.values()];
    // Anybody can make up tokens for which the service fails. So once any token was accepted, all strangers count as one caller.
    if (this.#callers.hasAccepted) each.push(this.#callsOfStrangers.totalAt(at));
    if (isSharedFailure(all, each)) this.#common.open(at);
  }

  /** Drops counts from before the service recovered. */
  #forgetFailures(state: CallerState, at: number): void {
    const { calls, callsAsStranger } = state;
    this.#calls.takeOut(calls, at);
    if (callsAsStranger !== null) this.#callsOfStrangers.takeOut(callsAsStranger, at);
    state.forgetCalls();
  }

  #forgetAllFailures(): void {
    this.#calls.clear();
    this.#callsOfStrangers.clear();
    this.#callers.forgetCalls();
  }

  #healthOfFailure(error: unknown, signal: Signal, began: number): CallHealth {
    const { hadConnection, patienceMs } = this.#options;
    // A caller that leaves says nothing about the service.
    if (hasLeft(signal)) return null;
    // The gateway could not read the answer.
    if (error instanceof RestError && error.outcome === 'invalid') return 'well';
    // The gateway itself ended the call, for example at a limit of bytes.
    if (!(error instanceof RestNetworkError)) return null;
    const { kind, mayHaveLeft } = error;
    if (kind === 'unreachable') return mayHaveLeft ? 'failing' : 'unreachable';
    if (mayHaveLeft) return this.#now() - began >= patienceMs ? 'failing' : null;
    // Its time was too short for a new connection. But if no connection was open at all, the service accepts none.
    return hadConnection(began) ? null : 'unreachable';
  }
}

/** Most 4xx are answers of a service that is well. */
function healthOfAnswer(status: number): CallHealth {
  if (status >= 500) return 'failing';
  return isRefusedToken(status) ? null : 'well';
}

/** Fewer calls say too little to open a circuit. */
const MIN_CALLS = 20;
/** Fewer calls of the other callers say too little to open the circuit of all. */
const MIN_CALLS_OF_OTHERS = 5;

/** Whether at least half of at least 20 calls failed. */
const isFailing = (counts: Counts): boolean =>
  counts.calls >= MIN_CALLS && isHalf(counts);

/**
 * Whether failures concern all callers and not only one: without the calls of any one caller, there are still at least
 * five calls, and at least half of them failed. `all` counts the calls of each caller, and more.
 */
const isSharedFailure = (all: Counts, each: readonly Counts[]): boolean =>
  each.every(({ calls, failures }) => {
    const others = { calls: all.calls - calls, failures: all.failures - failures };
    return others.calls >= MIN_CALLS_OF_OTHERS && isHalf(others);
  });

const isHalf = ({ calls, failures }: Counts): boolean => failures * 2 >= calls;
