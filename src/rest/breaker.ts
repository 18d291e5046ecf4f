import type { Signal } from './abort.ts';
import { type CallerId, STRANGERS } from './caller-id.ts';
import { type CallerState, type Callers, isWell, NEVER_OPENED } from './callers.ts';
import { type Layer, type OutgoingRequest, refuse } from './chain.ts';
import {
  type BreakerState,
  begin,
  change,
  createCircuit,
  endTrial,
  stateAt,
  timeLeft,
  timeLeftFor,
} from './circuit.ts';
import { OverloadedError } from './errors.ts';
import type { HttpResponse } from './request.ts';
import { type JudgeOptions, judgeAnswer, judgeFailure, type Verdict } from './verdict.ts';
import {
  count,
  isFailing,
  isSharedFailure,
  type RecentCalls,
  takeOut,
  toSecond,
  totalOf,
} from './window.ts';

/**
 * Circuit breakers: one for each caller, which opens on the failures of that caller's calls, and one for all callers,
 * which opens on what concerns all: no connection can be established, or the calls of several callers fail.
 */
export interface Breaker {
  /** Refuses calls with OverloadedError while the service is considered down, so that none waits for its turn in vain. */
  readonly guard: Layer;
  /** Lets a call that has its turn through, perhaps as a trial. Throws the error with which `guard` would refuse it. */
  enter(request: OutgoingRequest): Passage;
  /** The service answered a call that was let through. */
  answered(passage: Passage, answer: HttpResponse): void;
  /** There was no answer. `signal`: that of the call. */
  failed(passage: Passage, error: unknown, signal: Signal): void;
  /** The state for all callers seen lately; not closed either if the circuit of each of them is not. */
  readonly state: BreakerState;
}

export interface BreakerOptions extends JudgeOptions {
  readonly callers: Callers;
  /** Unit: milliseconds. */
  readonly now?: () => number;
}

/** A call that was let through. */
export interface Passage {
  readonly caller: CallerId;
  readonly began: number;
  /** The eras of the caller's circuit and of the common one. */
  readonly ownEra: number;
  readonly commonEra: number;
}

export function createBreaker(options: BreakerOptions): Breaker {
  const { callers, now = performance.now.bind(performance) } = options;
  const common = createCircuit();
  const window: RecentCalls = { newest: null };
  const ofStrangers: RecentCalls = { newest: null };

  /** Why a call may not be made; null if it may. `state`: that of its caller. */
  function refusalOf(
    { call, caller }: OutgoingRequest,
    state: CallerState | undefined,
    at: number,
  ): OverloadedError | null {
    const own = state === undefined ? 0 : timeLeft(state.circuit, at);
    const all = Math.max(timeLeft(common, at), timeLeftFor(caller, common, at));
    // The common circuit does not stop a caller whose last call went well lately: other callers cannot take its answers.
    const left = all > own && !isWell(state, at) ? all : own;
    if (left <= 0) return null;
    const trouble = 'not made: the service has been failing';
    return new OverloadedError(call, trouble, left / 1000);
  }

  /** Why a call may not wait for its turn; null if it may. */
  function refusalNow(request: OutgoingRequest): OverloadedError | null {
    if (callers.areAllWell && common.state === 'closed') return null;
    return refusalOf(request, callers.peek(request.caller), now());
  }

  function enter(request: OutgoingRequest): Passage {
    const { caller } = request;
    const began = now();
    const state = callers.find(caller);
    const refusal = refusalOf(request, state, began);
    if (refusal !== null) throw refusal;
    const circuit = state?.circuit ?? NEVER_OPENED;
    const passage = { caller, began, ownEra: circuit.era, commonEra: common.era };
    begin(circuit, passage, began);
    begin(common, passage, began);
    return passage;
  }

  /** `status`: that of the answer; null if there was none. */
  function leave(passage: Passage, verdict: Verdict, status: number | null): void {
    const { caller, ownEra, commonEra } = passage;
    const at = now();
    const state = callers.noteEnd(caller, { verdict, status }, at);
    const circuit = state?.circuit ?? NEVER_OPENED;
    const isOwn = ownEra === circuit.era;
    const isCommon = commonEra === common.era;
    if (isOwn && isCommon && circuit.state === 'closed' && common.state === 'closed') {
      if (caller.share === STRANGERS && (verdict === 'well' || verdict === 'failing'))
        count(ofStrangers, toSecond(at), verdict === 'failing');
      learn(state, verdict, at);
      return;
    }
    const end = { passage, failed: verdict !== null, at };
    if (isOwn && state !== undefined && circuit.state !== 'closed') {
      if (verdict === 'well') closeFor(state, at);
      else endTrial(circuit, end);
    }
    if (isCommon && common.state !== 'closed') {
      if (verdict === 'well') closeForAll(at);
      else endTrial(common, end);
    }
  }

  /** Counts a call while both circuits are closed. */
  function learn(state: CallerState | undefined, verdict: Verdict, at: number): void {
    if (verdict === null) return;
    const second = toSecond(at);
    const failed = verdict !== 'well';
    count(window, second, failed);
    if (state === undefined) return;
    if (verdict !== 'unreachable') count(state, second, failed);
    if (!failed) return;
    if (isFailing(totalOf(state, second))) {
      if (state.circuit === NEVER_OPENED) state.circuit = createCircuit();
      change(state.circuit, 'open', at);
    }
    const all = totalOf(window, second);
    if (!isFailing(all)) return;
    // Without the calls of a caller that has no failures, an even greater part of the others failed.
    const each = Array.from(callers.failing, (one) => totalOf(one, second));
    // Anybody can make up tokens for which the service fails. Beside callers that it knows, they are one.
    if (callers.hasAccepted) each.push(totalOf(ofStrangers, second));
    if (isSharedFailure(all, each)) change(common, 'open', at);
  }

  /** Forgets the caller's failures: they say nothing about a service that is well again. */
  function closeFor(state: CallerState, at: number): void {
    change(state.circuit, 'closed', at);
    takeOut(window, state);
    state.newest = null;
  }

  function closeForAll(at: number): void {
    change(common, 'closed', at);
    window.newest = null;
    ofStrangers.newest = null;
    callers.forgetCalls();
  }

  return {
    guard: (next) => (request, outcome) => {
      const refusal = refusalNow(request);
      if (refusal === null) next(request, outcome);
      else refuse(outcome, refusal);
    },
    enter,
    answered(passage, { status }) {
      leave(passage, judgeAnswer(status), status);
    },
    failed(passage, error, signal) {
      const call = { error, signal, began: passage.began, ended: now() };
      leave(passage, judgeFailure(call, options), null);
    },
    get state() {
      const at = now();
      const forAll = stateAt(common, at);
      return forAll === 'closed' ? callers.circuitsAt(at) : forAll;
    },
  };
}
