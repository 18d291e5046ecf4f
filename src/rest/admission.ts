import { type AbortListener, timeIsUp } from '../callers/abort.ts';
import type { CallerId } from '../callers/caller-id.ts';
import { FairQueue, type QueuedCall } from '../callers/rounds.ts';
import { FairSlots } from '../callers/shares.ts';
import { asyncTurnOf } from '../callers/thread.ts';
import { createTimeLimit, type Deadline, type TimeLimit } from '../callers/time-limit.ts';
import type { OutgoingRequest } from './chain.ts';
import { notSentInTime, OverloadedError } from './errors.ts';

/** Learns whether a call gets a connection. One of its methods runs, once; `fail` never runs before `enter` has returned. */
export interface AdmissionListener {
  /** The call has a connection. */
  begin(request: OutgoingRequest): void;
  /** There was no connection in time, or no room to wait. */
  fail(error: Error): void;
}

interface Timeouts {
  /** How long a call may take once it has a connection. Unit: milliseconds. */
  readonly timeoutMs: number;
  /** How long an operation may take. Unit: milliseconds. */
  readonly operationTimeoutMs: number;
}

export interface AdmissionOptions extends Timeouts {
  readonly connections: number;
  /** How many calls may wait for a connection. */
  readonly maxQueue: number;
  /** Whether this process is too busy to keep up with its work. */
  readonly isLagging: () => boolean;
}

/** Admission control before the pool of connections: it admits only what can be served soon, and no caller crowds out others. */
export class Admission {
  readonly #running: FairSlots;
  readonly #queue: FairSlots;
  readonly #waiting: FairQueue<Queued>;
  readonly #line: WaitingCalls;
  readonly #isLagging: () => boolean;
  readonly #tooMany: string;

  constructor(options: AdmissionOptions) {
    const { connections, maxQueue, isLagging } = options;
    this.#running = new FairSlots(connections);
    this.#queue = new FairSlots(maxQueue);
    this.#waiting = new FairQueue<Queued>(this.#running);
    this.#line = { queue: this.#queue, waiting: this.#waiting, ...toWait(options) };
    this.#isLagging = isLagging;
    this.#tooMany = `too many calls wait already: ${maxQueue} may, and four fifths of them from one caller (REST_QUEUE)`;
  }

  /** Calls that hold a connection. */
  get running(): number {
    return this.#running.taken;
  }

  /** Calls that wait for their turn. */
  get waiting(): number {
    return this.#queue.taken;
  }

  /** The error to refuse a call with that can neither be sent nor wait; null if it may enter. */
  refusalOf(request: OutgoingRequest): OverloadedError | null {
    const { caller } = request;
    if (this.#isLagging()) return refused(request, 'the gateway cannot keep up');
    const hasRoom = this.#running.hasRoom(caller) || this.#queue.hasRoom(caller);
    return hasRoom || this.#waiting.whoGivesWayTo(caller) !== null
      ? null
      : refused(request, this.#tooMany);
  }

  /** Takes a connection for the call: at once, or at its turn. */
  enter(request: OutgoingRequest, listener: AdmissionListener): void {
    const { caller } = request;
    if (this.#running.acquire(caller)) listener.begin(request);
    else if (this.#queue.acquire(caller) || this.#makeRoom(caller))
      new Queued(request, listener, this.#line).wait();
    else queueMicrotask(() => listener.fail(refused(request, this.#tooMany)));
  }

  /** Gives a connection of this caller back, to the call whose turn it is. */
  release(caller: CallerId): void {
    this.#running.release(caller);
    this.#waiting.grant(caller);
  }

  /** Gives a stranger another stranger's queue slot, whose call is refused. False: none gives way, or no stranger. */
  #makeRoom(caller: CallerId): boolean {
    const displaced = this.#waiting.whoGivesWayTo(caller);
    if (displaced === null) return false;
    this.#queue.pass(displaced.caller, caller);
    displaced.lose(this.#tooMany);
    return true;
  }
}

/**
 * How long a call may wait for a connection: half as long as it may take then, and at most half of its operation's time.
 * Without this bound, a long queue starts calls that are about to time out; each abort closes a connection, and nobody gets
 * an answer. Unit: milliseconds.
 */
export const longestWait = ({ timeoutMs, operationTimeoutMs }: Timeouts): number =>
  Math.min(timeoutMs, operationTimeoutMs) / 2;

/** How long calls may wait. */
interface Wait {
  readonly time: TimeLimit;
  /** The cause of the error of a call that has waited longer. */
  readonly tooLong: Error;
}

function toWait(timeouts: Timeouts): Wait {
  const { timeoutMs, operationTimeoutMs } = timeouts;
  const waitMs = longestWait(timeouts);
  const shorter =
    operationTimeoutMs < timeoutMs ? 'OPERATION_TIMEOUT_MS' : 'REST_TIMEOUT_MS';
  const tooLong = `it waited longer than ${waitMs} ms for a connection (half of ${shorter})`;
  return { time: createTimeLimit(waitMs), tooLong: timeIsUp(tooLong) };
}

/** Where calls wait. */
interface WaitingCalls extends Wait {
  readonly queue: FairSlots;
  readonly waiting: FairQueue<Queued>;
}

/** A call that waits for a connection, and holds a place in the queue. */
class Queued implements QueuedCall, AbortListener {
  readonly caller: CallerId;
  readonly expires: number;
  readonly #request: OutgoingRequest;
  readonly #listener: AdmissionListener;
  readonly #line: WaitingCalls;
  readonly #deadline: Deadline;

  constructor(request: OutgoingRequest, listener: AdmissionListener, line: WaitingCalls) {
    this.caller = request.caller;
    this.#request = request;
    this.#listener = listener;
    this.#line = line;
    this.#deadline = line.time(this);
    this.expires = this.#deadline.expires;
  }

  wait(): void {
    const { signal } = this.#request;
    this.#line.waiting.add(this);
    if (signal.aborted) this.handleEvent();
    else signal.addEventListener('abort', this);
  }

  begin(): void {
    const request = this.#request;
    request.signal.removeEventListener('abort', this);
    this.#deadline.stop();
    this.#line.queue.release(this.caller);
    this.#listener.begin(request);
  }

  /** It has waited too long, or it was aborted. It was certainly not sent. */
  handleEvent(): void {
    const { call, signal } = this.#request;
    const { queue, tooLong } = this.#line;
    const cause = signal.reason ?? tooLong;
    this.#leave(() => {
      queue.release(this.caller);
      return notSentInTime(call, cause);
    });
  }

  /** Another call has its place. */
  lose(reason: string): void {
    this.#leave(() => refused(this.#request, reason));
  }

  #leave(toError: () => Error): void {
    this.#request.signal.removeEventListener('abort', this);
    this.#deadline.stop();
    this.#line.waiting.remove(this);
    // The time of hundreds of calls may be up in one moment, and each then does more work.
    void asyncTurnOf(this.caller).then(() => this.#listener.fail(toError()));
  }
}

const refused = ({ call }: OutgoingRequest, reason: string) =>
  new OverloadedError(call, `not made: ${reason}`);
