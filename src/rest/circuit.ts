import type { CallerId } from './caller-id.ts';

/** `open`: nothing is sent. `half-open`: a trial call is in flight, to see whether the service is back. */
export type BreakerState = 'closed' | 'open' | 'half-open';

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
export interface Circuit {
  state: BreakerState;
  /** Increases whenever the circuit opens or closes. A call of an earlier era says nothing about the present. */
  era: number;
  /** When the next trial may begin. Unit: milliseconds. */
  openUntil: number;
  /** The call that is the last trial; null before the first. */
  lastTrial: Trial | null;
}

/** A call that tries whether the service is well again. */
interface Trial {
  readonly caller: CallerId;
  readonly began: number;
}

/** The time before the first trial, and between trials. Unit: milliseconds. */
const OPEN_MS = 1000;

/** For how long an open circuit is reported after the next trial could have begun. Unit: milliseconds. */
const UNTRIED_MS = 10_000;

export const createCircuit = (): Circuit => ({
  state: 'closed',
  era: 0,
  openUntil: 0,
  lastTrial: null,
});

/** How long until the circuit lets a call through; 0 or less if it does so now. Unit: milliseconds. */
export const timeLeft = ({ state, openUntil }: Circuit, at: number): number =>
  state === 'closed' ? 0 : openUntil - at;

/**
 * How long until a caller may make a trial that has made the last one. A trial that says nothing is followed by the next one at
 * once; if that could be of the same caller, one with many calls a second would make all of them.
 */
export const timeLeftFor = (
  { token }: CallerId,
  { state, lastTrial }: Circuit,
  at: number,
): number =>
  state === 'closed' || lastTrial?.caller.token !== token
    ? 0
    : lastTrial.began + OPEN_MS - at;

/** The state to report: an open circuit that nobody tries, although it could be tried, stops nobody any more. */
export const stateAt = ({ state, openUntil }: Circuit, at: number): BreakerState =>
  state === 'open' && at - openUntil >= UNTRIED_MS ? 'closed' : state;

/** A call was let through: it is a trial if the circuit is not closed and lets calls through again. */
export function begin(circuit: Circuit, passage: Trial, at: number): void {
  if (circuit.state === 'closed' || circuit.openUntil > at) return;
  circuit.state = 'half-open';
  circuit.lastTrial = passage;
  // If the trial hangs, the next one does not wait for its end.
  circuit.openUntil = at + OPEN_MS;
}

/** How a trial ended that did not succeed. */
interface EndedTrial {
  readonly passage: Trial;
  /** False if it says nothing about the service; then the next trial may begin at once. */
  readonly failed: boolean;
  readonly at: number;
}

export function endTrial(circuit: Circuit, { passage, failed, at }: EndedTrial): void {
  // Ignore late failures of superseded trials; they must not delay the next.
  if (passage !== circuit.lastTrial) return;
  circuit.state = 'open';
  circuit.openUntil = at + (failed ? OPEN_MS : 0);
}

export function change(circuit: Circuit, to: 'open' | 'closed', at: number): void {
  circuit.state = to;
  circuit.era += 1;
  circuit.openUntil = at + OPEN_MS;
}
