import { hasLeft, type Signal } from './abort.ts';
import { type Layer, type OutgoingRequest, refuse } from './chain.ts';
import {
  type BreakerState,
  begin,
  type Circuit,
  change,
  createCircuit,
  endTrial,
  timeLeft,
} from './circuit.ts';
import { OverloadedError, RestNetworkError } from './errors.ts';
import { createRecent } from './recent.ts';
import type { HttpResponse } from './request.ts';
import {
  count,
  isFailing,
  isSharedFailure,
  type RecentCalls,
  takeOut,
  toSecond,
  totalOf,
  WINDOW_SECONDS,
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
  /** The state for all callers; not closed either if the circuit of each caller seen lately is not. */
  readonly state: BreakerState;
}

export interface BreakerOptions {
  /** Whether any connection to the service was open at or after `since`, on the clock of `now`. */
  readonly hadConnection: (since: number) => boolean;
  /** Unit: milliseconds. */
  readonly now?: () => number;
}

/** The state of a caller takes at most a kilobyte, and most take 200 bytes; twice this number may be kept. */
const MAX_CALLERS = 5000;

/** What is known of a caller: its calls, which the window of all callers counts too, and its circuit. */
interface CallerState extends RecentCalls {
  circuit: Circuit;
  /** Whether its last call went well. */
  isWell: boolean;
}

/** The circuit of all callers whose own has never opened. It is closed, and never changed: the first to open is made then. */
const NEVER_OPENED: Circuit = Object.freeze(createCircuit());

/** A call that was let through. */
export interface Passage {
  readonly caller: CallerState;
  readonly began: number;
  /** The eras of the caller's circuit and of the common one. */
  readonly ownEra: number;
  readonly commonEra: number;
}

/**
 * What the end of a call says about the service; null if it says nothing. A 4xx is an answer, so the service is well.
 * `failing`: perhaps for this caller only. `unreachable`: no connection could be established, so it is down for all.
 */
type Verdict = 'well' | 'failing' | 'unreachable' | null;

export function createBreaker({
  hadConnection,
  now = performance.now.bind(performance),
}: BreakerOptions): Breaker {
  const common = createCircuit();
  const window: RecentCalls = { newest: null };
  const callers = createRecent<CallerState>({
    create: () => ({ newest: null, circuit: NEVER_OPENED, isWell: false }),
    idleMs: WINDOW_SECONDS * 1000,
    max: MAX_CALLERS,
  });

  /** Why a call may not be made; null if it may. */
  function refusalOf(
    { call }: OutgoingRequest,
    caller: CallerState | undefined,
    at: number,
  ): OverloadedError | null {
    const own = caller === undefined ? 0 : timeLeft(caller.circuit, at);
    // The common circuit does not stop a caller whose last call went well: other callers cannot take its answers.
    const left = Math.max(own, caller?.isWell ? 0 : timeLeft(common, at));
    if (left <= 0) return null;
    const trouble = 'not made: the service has been failing';
    return new OverloadedError(call, trouble, left / 1000);
  }

  function enter(request: OutgoingRequest): Passage {
    const began = now();
    const caller = callers.use(request.caller, began);
    const refusal = refusalOf(request, caller, began);
    if (refusal !== null) throw refusal;
    const { circuit } = caller;
    const passage = { caller, began, ownEra: circuit.era, commonEra: common.era };
    begin(circuit, passage, began);
    begin(common, passage, began);
    return passage;
  }

  function leave(passage: Passage, verdict: Verdict): void {
    const { caller, ownEra, commonEra } = passage;
    const { circuit } = caller;
    const at = now();
    if (verdict !== null) caller.isWell = verdict === 'well';
    const end = { passage, failed: verdict !== null, at };
    const isOwn = ownEra === circuit.era;
    const isCommon = commonEra === common.era;
    if (isOwn && isCommon && circuit.state === 'closed' && common.state === 'closed') {
      learn(caller, verdict, at);
      return;
    }
    if (isOwn && circuit.state !== 'closed') {
      if (verdict === 'well') closeFor(caller, at);
      else endTrial(circuit, end);
    }
    if (isCommon && common.state !== 'closed') {
      if (verdict === 'well') closeForAll(at);
      else endTrial(common, end);
    }
  }

  /** Counts a call while both circuits are closed. */
  function learn(caller: CallerState, verdict: Verdict, at: number): void {
    if (verdict === null) return;
    const second = toSecond(at);
    const failed = verdict !== 'well';
    count(window, second, failed);
    if (verdict !== 'unreachable') count(caller, second, failed);
    if (!failed) return;
    if (isFailing(totalOf(caller, second))) {
      if (caller.circuit === NEVER_OPENED) caller.circuit = createCircuit();
      change(caller.circuit, 'open', at);
    }
    const all = totalOf(window, second);
    if (!isFailing(all)) return;
    const each = Array.from(callers.values(), (one) => totalOf(one, second));
    if (isSharedFailure(all, each)) change(common, 'open', at);
  }

  /** Forgets the caller's failures: they say nothing about a service that is well again. */
  function closeFor(caller: CallerState, at: number): void {
    change(caller.circuit, 'closed', at);
    takeOut(window, caller);
    caller.newest = null;
  }

  function closeForAll(at: number): void {
    change(common, 'closed', at);
    window.newest = null;
    for (const caller of callers.values()) caller.newest = null;
  }

  function judge(error: unknown, { began }: Passage, signal: Signal): Verdict {
    // A caller that leaves says nothing about the service.
    if (hasLeft(signal)) return null;
    if (!(error instanceof RestNetworkError)) return 'well';
    if (error.mayHaveLeft) return 'failing';
    // Its time was too short for a new connection. But if no connection was open at all, the service accepts none.
    if (error.kind === 'timeout' && hadConnection(began)) return null;
    return 'unreachable';
  }

  return {
    guard: (next) => (request, outcome) => {
      const refusal = refusalOf(request, callers.peek(request.caller), now());
      if (refusal === null) next(request, outcome);
      else refuse(outcome, refusal);
    },
    enter,
    answered(passage, { status }) {
      leave(passage, status >= 500 ? 'failing' : 'well');
    },
    failed(passage, error, signal) {
      leave(passage, judge(error, passage, signal));
    },
    get state() {
      return common.state === 'closed' ? stateOfEach(callers.values()) : common.state;
    },
  };
}

/** `closed` if one of the circuits is, or if there are none. */
function stateOfEach(callers: Iterable<CallerState>): BreakerState {
  const states = new Set(Array.from(callers, ({ circuit }) => circuit.state));
  if (states.has('closed') || states.size === 0) return 'closed';
  return states.has('half-open') ? 'half-open' : 'open';
}
