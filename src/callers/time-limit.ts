import { type AbortListener, Cancellation, timeIsUp } from './abort.ts';

/** The time of one call or operation, while it runs. */
export class Deadline {
  /** When it is up, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly expires: number;
  /** Called when it is up. */
  readonly listener: AbortListener;
  /**
   * Its neighbours in the order in which the times are up; itself, if it does not run. Not a Map of all that run: V8 keeps
   * the former tables of a Map, and with them the operations that were in them, until a full collection.
   */
  #before: Deadline = this;
  #after: Deadline = this;

  constructor(expires: number, listener: AbortListener) {
    this.expires = expires;
    this.listener = listener;
  }

  get after(): Deadline {
    return this.#after;
  }

  startBefore(other: Deadline): void {
    this.#before = other.#before;
    this.#after = other;
    this.#before.#after = this;
    other.#before = this;
  }

  /** It has ended in time, or is not bounded any more, such as a subscription that has begun. */
  stop(): void {
    this.#before.#after = this.#after;
    this.#after.#before = this.#before;
    this.#before = this;
    this.#after = this;
  }
}

/** Starts the time of a call or an operation. `now`: the present time, if it was just read. Unit: milliseconds. */
export type TimeLimit = (listener: AbortListener, now?: number) => Deadline;

/** At most this many are ended in one phase of the event loop. */
const MAX_STEPS = 64;
/** Node runs a longer timer at once. Unit: milliseconds. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Bounds how long each of many may take, with one timer for all of them. Unit: milliseconds. */
export function createTimeLimit(ms: number): TimeLimit {
  /** Head of a ring of the running deadlines, in order of expiry: all last equally long. */
  const end = new Deadline(Number.POSITIVE_INFINITY, { handleEvent() {} });
  let isArmed = false;

  function arm(): void {
    const { after: first } = end;
    isArmed = first !== end;
    if (!isArmed) return;
    const wait = Math.max(1, Math.ceil(first.expires - performance.now()));
    // The calls and operations that it would end keep the process alive themselves.
    setTimeout(check, Math.min(wait, LONGEST_TIMER_MS)).unref();
  }

  /** The times of thousands may be up in one moment. Each is ended in a step of its own, so that others get their turns. */
  function check(): void {
    const now = performance.now();
    let deadline = end.after;
    for (let steps = 0; deadline.expires <= now && steps < MAX_STEPS; steps += 1) {
      setImmediate(endFirst);
      deadline = deadline.after;
    }
    setImmediate(arm);
  }

  function endFirst(): void {
    const { after: first } = end;
    if (first.expires > performance.now()) return;
    first.stop();
    first.listener.handleEvent();
  }

  return (listener, now = performance.now()) => {
    const deadline = new Deadline(now + ms, listener);
    deadline.startBefore(end);
    if (!isArmed) arm();
    return deadline;
  };
}

/** Starts the time of an operation, and aborts it when that is up. */
export type OperationTime = (operation: Cancellation, now?: number) => Deadline;

export function createOperationTime(ms: number): OperationTime {
  const limit = createTimeLimit(ms);
  const tooLong = `the operation took longer than ${ms} ms (OPERATION_TIMEOUT_MS)`;
  return (operation, now) =>
    limit({ handleEvent: () => operation.abort(timeIsUp(tooLong)) }, now);
}

/**
 * An operation, from the moment at which its request has come whole: it is aborted when its time is up, its client has left,
 * or it is answered.
 */
export class Lifetime extends Cancellation {
  /** When its request had come, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly arrived = performance.now();
  readonly #deadline: Deadline;
  #giveBack: (() => void) | null = null;
  #isOver = false;

  constructor(time: OperationTime) {
    super();
    this.#deadline = time(this, this.arrived);
  }

  /** When its time is up, on the same clock. */
  get deadline(): number {
    return this.#deadline.expires;
  }

  /** It may take its place after it has ended, if it waited for a turn. */
  takesPlace(giveBack: () => void): void {
    if (this.#isOver) giveBack();
    else this.#giveBack = giveBack;
  }

  /** Stops the deadline and gives up the place: the operation is answered, or a subscription that has begun. */
  stopDeadline(): void {
    this.#isOver = true;
    this.#deadline.stop();
    this.#giveBack?.();
    this.#giveBack = null;
  }
}
