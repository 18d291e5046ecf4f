/** `open`: nothing is sent. `half-open`: a trial call is in flight, to see whether the service is back. */
export const BREAKER_STATES = ['closed', 'open', 'half-open'] as const;

export type BreakerState = (typeof BREAKER_STATES)[number];

/**
 * How a finished call counts; null: it does not. `failing`: the service fails, perhaps for this caller only. `unreachable`:
 * no connection could be established, so the service is down for all.
 */
export type CallHealth = 'well' | 'failing' | 'unreachable' | null;

/** The time before the first trial, and between trials. Unit: milliseconds. */
const OPEN_MS = 1000;
/** For how long an open circuit is reported after the next trial could have begun. Unit: milliseconds. */
const UNTRIED_MS = 10_000;

/** A call that the circuit has let through. Times in milliseconds. */
interface PassedCall {
  readonly caller: { readonly owner: string };
  readonly began: number;
}

/**
 * A circuit: it spares a service that is down, and callers the wait for it.
 *
 *              half of >= 20 calls in 10 s failed
 *     closed ------------------------------------> open
 *        ^                                         |  ^
 *        | the trial              after 1 s, the   |  | the trial fails
 *        | succeeds          next call is a trial  v  |
 *        +------------------------------------- half-open    (1 s after a trial began, the next call is a trial too)
 */
export class Circuit {
  #state: BreakerState = 'closed';
  #era = 0;
  /** When the next trial may begin. */
  #openUntil = 0;
  /** Null before the first. */
  #lastTrial: PassedCall | null = null;

  get state(): BreakerState {
    return this.#state;
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Increases whenever the circuit opens or closes. A call of an earlier era says nothing about the present. */
  get era(): number {
    return this.#era;
  }

  isClosedSince(era: number): boolean {
    return this.isClosed && this.#era === era;
  }

  /** The state to report: an open circuit that nobody tries, although it could be tried, stops nobody any more. */
  stateAt(at: number): BreakerState {
    const isUntried = this.#state === 'open' && at - this.#openUntil >= UNTRIED_MS;
    return isUntried ? 'closed' : this.#state;
  }

  /** How long until the circuit lets a call through; 0 or less if it does so now. */
  timeLeft(at: number): number {
    return this.isClosed ? 0 : this.#openUntil - at;
  }

  /**
   * The same for one caller, which must wait longer after a trial of its own: otherwise a caller with many calls a second would
   * make all trials. Others may follow at once if that trial said nothing about the service.
   */
  timeLeftFor(caller: PassedCall['caller'], at: number): number {
    const left = this.timeLeft(at);
    const last = this.#lastTrial;
    if (this.isClosed || last?.caller.owner !== caller.owner) return left;
    return Math.max(left, last.began + OPEN_MS - at);
  }

  /** A call was let through: it is a trial if the circuit is not closed and lets calls through again. */
  begin(call: PassedCall): void {
    if (this.isClosed || this.#openUntil > call.began) return;
    this.#state = 'half-open';
    this.#lastTrial = call;
    // If the trial hangs, the next one does not wait for its end.
    this.#openUntil = call.began + OPEN_MS;
  }

  /** A call that was let through in this era has ended. Returns whether that closes the circuit. */
  end(call: PassedCall, era: number, health: CallHealth, at: number): boolean {
    if (this.isClosed || this.#era !== era) return false;
    if (health === 'well') {
      this.#state = 'closed';
      this.#era += 1;
      return true;
    }
    // Late failures of superseded trials must not delay the next.
    if (call !== this.#lastTrial) return false;
    this.#state = 'open';
    // A trial that says nothing is followed by the next one at once.
    this.#openUntil = at + (health === null ? 0 : OPEN_MS);
    return false;
  }

  /** `afterMs`: the time before the first trial. */
  open(at: number, afterMs = OPEN_MS): void {
    this.#state = 'open';
    this.#era += 1;
    this.#openUntil = at + afterMs;
  }

  close(): void {
    this.#state = 'closed';
    this.#era += 1;
  }
}

/** Whose call is a trial: of a caller whose last call failed, of one whose token was never accepted, or of any other. */
export type TrialKind = 'failed' | 'stranger' | 'other';

/**
 * The circuit of all callers: one for each kind of trial, opened and closed together. Callers that the service fails may call
 * far more often than the rest, and must not use up the trials of the rest.
 */
export class CommonCircuit {
  readonly #of: Readonly<Record<TrialKind, Circuit>> = {
    failed: new Circuit(),
    stranger: new Circuit(),
    other: new Circuit(),
  };

  get isClosed(): boolean {
    return this.#of.other.isClosed;
  }

  for(kind: TrialKind): Circuit {
    return this.#of[kind];
  }

  stateAt(at: number): BreakerState {
    const states = Object.values(this.#of).map((circuit) => circuit.stateAt(at));
    if (states.includes('half-open')) return 'half-open';
    return states.includes('open') ? 'open' : 'closed';
  }

  open(at: number): void {
    for (const circuit of Object.values(this.#of)) circuit.open(at);
  }

  /** The trial of `by` has shown that the service is well. */
  close(by: Circuit): void {
    for (const circuit of Object.values(this.#of)) if (circuit !== by) circuit.close();
  }
}
