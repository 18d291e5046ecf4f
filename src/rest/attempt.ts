import { timeIsUp } from '../callers/abort.ts';
import type { FairSlots } from '../callers/shares.ts';
import { asyncTurnOf, turnOf } from '../callers/thread.ts';
import type { Admission, AdmissionListener } from './admission.ts';
import type { Breaker, Permit } from './breaker.ts';
import type { CallHandler, OutgoingRequest } from './chain.ts';
import { notSentInTime, OverloadedError } from './errors.ts';
import type { ObservedAttempt } from './observe.ts';
import type { HttpResponse, Outcome, SendRequest } from './request.ts';
import { isRepeatable, pauseAfter, pauseAskedFor, sleepUnlessAborted } from './retry.ts';

const TURN_IS_OVER = timeIsUp(
  'nothing was written, because others change the same object and the turn of this change was over',
);

interface AttemptParts {
  readonly admission: Pick<Admission, 'refusalOf' | 'enter' | 'release'>;
  readonly breaker: Pick<Breaker, 'refusalOf' | 'enter' | 'answered' | 'failed'>;
  readonly send: SendRequest;
  /** How often a call is repeated at most. */
  readonly retries: number;
  /** Pauses hold a slot each, so that calls that wait to be repeated are bounded, too. */
  readonly pauses: FairSlots;
}

/** Makes calls. Each waits for its caller's turn: an operation may start hundreds at once. */
export const attempts =
  (parts: AttemptParts): CallHandler =>
  (request, outcome) => {
    const call = new RunningCall(request, parts, outcome);
    const turn = turnOf(request.caller);
    if (turn === undefined) call.attempt();
    else void turn.then(() => call.attempt());
  };

/**
 * A call. Each of its attempts is observed, waits for a connection, passes the breaker and holds the connection until it ends;
 * between attempts it holds none. All of this is in one object, because in layers that await one another the promise of each
 * would cost more than its work.
 */
class RunningCall implements AdmissionListener, Outcome {
  readonly #request: OutgoingRequest;
  readonly #parts: AttemptParts;
  readonly #outcome: Outcome;
  /** The present attempt; null before the first. */
  #observed: ObservedAttempt | null = null;
  /** Null until the breaker lets the present attempt through. */
  #permit: Permit | null = null;
  /** Ends the call with the last attempt's result; null before a retry. */
  #endAsBefore: (() => void) | null = null;

  constructor(request: OutgoingRequest, parts: AttemptParts, outcome: Outcome) {
    this.#request = request;
    this.#parts = parts;
    this.#outcome = outcome;
  }

  /** Makes one attempt, unless it is refused at once: no call waits for a connection that it would not use. */
  attempt(): void {
    const request = this.#request;
    const { admission, breaker } = this.#parts;
    const { call, signal, observer, progress } = request;
    const refusal = signal.aborted
      ? notSentInTime(call, signal.reason)
      : (breaker.refusalOf(request) ?? admission.refusalOf(request));
    if (refusal !== null) {
      queueMicrotask(() => this.#end(refusal));
      return;
    }
    this.#permit = null;
    this.#observed = observer.begin({ call, signal, number: progress.attempts });
    progress.attempts += 1;
    admission.enter(request, this);
  }

  /** It has a connection. */
  begin(request: OutgoingRequest): void {
    const { breaker, send } = this.#parts;
    try {
      if (request.mayBegin?.() === false) throw notSentInTime(request.call, TURN_IS_OVER);
      this.#permit = breaker.enter(request);
      this.#observed?.send(request, this, send);
    } catch (error) {
      // It may not begin any more, or the breaker lets no call through.
      this.reject(error as Error);
    }
  }

  resolve(answer: HttpResponse): void {
    const { admission, breaker } = this.#parts;
    const { caller } = this.#request;
    if (this.#permit !== null) breaker.answered(this.#permit, answer);
    // Release the connection first: under load, the wait for a turn is long.
    admission.release(caller);
    const turn = turnOf(caller);
    if (turn === undefined) this.#succeed(answer);
    else void turn.then(() => this.#succeed(answer));
  }

  reject(error: Error): void {
    const { admission, breaker } = this.#parts;
    const { caller, signal } = this.#request;
    if (this.#permit !== null) breaker.failed(this.#permit, error, signal);
    // Release asynchronously: the next queued call starts here and may fail synchronously too; thousands would overflow the stack.
    void asyncTurnOf(caller).then(() => {
      admission.release(caller);
      this.fail(error);
    });
  }

  /** The attempt is over without an answer: it got no connection, or failed with one. */
  fail(error: Error): void {
    this.#observed?.failed(error);
    const isOver = this.#isLast || this.#request.signal.aborted;
    if (isOver || !isRepeatable(error)) this.#end(error);
    else this.#repeat(0, () => this.#outcome.reject(error));
  }

  #succeed(answer: HttpResponse): void {
    const { progress } = this.#request;
    this.#observed?.answered(answer);
    progress.status = answer.status;
    progress.bytes = answer.bytes;
    progress.date = answer.headers.date;
    const asked = this.#isLast ? null : pauseAskedFor(answer, this.#request);
    if (asked === null) this.#outcome.resolve(answer);
    else this.#repeat(asked, () => this.#outcome.resolve(answer));
  }

  get #isLast(): boolean {
    return this.#request.progress.attempts > this.#parts.retries;
  }

  #end(error: Error): void {
    // OverloadedError says "nothing was sent", which is wrong here: only the retry was not sent.
    if (error instanceof OverloadedError && this.#endAsBefore !== null)
      this.#endAsBefore();
    else this.#outcome.reject(error);
  }

  #repeat(ms: number, endAsBefore: () => void): void {
    const { pauses } = this.#parts;
    const { caller, signal, progress } = this.#request;
    if (!pauses.acquire(caller)) {
      endAsBefore();
      return;
    }
    this.#endAsBefore = endAsBefore;
    void sleepUnlessAborted(ms + pauseAfter(progress.attempts), signal).then(() => {
      pauses.release(caller);
      this.attempt();
    });
  }
}
