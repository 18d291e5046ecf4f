import type { CallerId } from './caller-id.ts';

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
interface Trial {
  readonly caller: CallerId;
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
  #lastTrial: Trial | null = null;

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
   * The same for this caller, which must wait longer if it has made the last trial. If that trial said nothing about the
   * service, the next one may follow at once. Without the wait, a caller with many calls a second would make all trials.
   */
  timeLeftFor({ token }: CallerId, at: number): number {
    const left = this.timeLeft(at);
    const last = this.#lastTrial;
    if (this.isClosed || last?.caller.token !== token) return left;
    return Math.max(left, last.began + OPEN_MS - at);
  }

  /** A call was let through: it is a trial if the circuit is not closed and lets calls through again. */
  begin(call: Trial): void {
    if (this.isClosed || this.#openUntil > call.began) return;
    this.#state = 'half-open';
    this.#lastTrial = call;
    // If the trial hangs, the next one does not wait for its end.
    this.#openUntil = call.began + OPEN_MS;
  }

  /** A call that was let through in this era has ended. Returns whether that closes the circuit. */
  end(call: Trial, era: number, health: CallHealth, at: number): boolean {
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

  open(at: number): void {
    this.#state = 'open';
    this.#era += 1;
    this.#openUntil = at + OPEN_MS;
  }
}
