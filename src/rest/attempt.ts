import type { Admission, AdmissionListener } from './admission.ts';
import type { Breaker, Permit } from './breaker.ts';
import { type CallHandler, type OutgoingRequest, refuse } from './chain.ts';
import type { ObservedAttempt } from './observe.ts';
import type { HttpResponse, Outcome, SendRequest } from './request.ts';
import { laterTurnOf, turnOf } from './thread.ts';

interface AttemptParts {
  readonly admission: Pick<Admission, 'refusalOf' | 'enter' | 'release'>;
  readonly breaker: Pick<Breaker, 'refusalOf' | 'enter' | 'answered' | 'failed'>;
  readonly send: SendRequest;
}

/** Makes one attempt of a call, unless it is refused at once: no call waits for a connection that it would not use. */
export const attempts =
  (parts: AttemptParts): CallHandler =>
  (request, outcome) => {
    const { admission, breaker } = parts;
    const refusal = breaker.refusalOf(request) ?? admission.refusalOf(request);
    if (refusal !== null) {
      refuse(outcome, refusal);
      return;
    }
    admission.enter(request, new Attempt(request, parts, outcome));
  };

/**
 * One attempt of a call: it is observed, waits for a connection, passes the breaker and holds the connection until it ends. All
 * of this is in one object, because in layers that await one another the promise of each would cost more than its work.
 */
class Attempt implements AdmissionListener, Outcome {
  readonly #request: OutgoingRequest;
  readonly #parts: AttemptParts;
  readonly #outcome: Outcome;
  readonly #observed: ObservedAttempt;
  /** Null until the breaker lets it through. */
  #permit: Permit | null = null;

  constructor(request: OutgoingRequest, parts: AttemptParts, outcome: Outcome) {
    const { call, signal, observer, progress } = request;
    this.#request = request;
    this.#parts = parts;
    this.#outcome = outcome;
    this.#observed = observer.begin({ call, signal, number: progress.attempts });
    progress.attempts += 1;
  }

  /** It has a connection. */
  begin(request: OutgoingRequest): void {
    const { breaker, send } = this.#parts;
    try {
      this.#permit = breaker.enter(request);
      this.#observed.send(request, this, send);
    } catch (error) {
      // The breaker lets no call through.
      this.reject(error as Error);
    }
  }

  /** The attempt is over without an answer: it got no connection, or failed with one. */
  fail(error: Error): void {
    this.#observed.failed(error);
    this.#outcome.reject(error);
  }

  resolve(answer: HttpResponse): void {
    const { admission, breaker } = this.#parts;
    const { caller } = this.#request;
    if (this.#permit !== null) breaker.answered(this.#permit, answer);
    // While there is much work, the answer waits long for a turn of its caller.
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
    void laterTurnOf(caller).then(() => {
      admission.release(caller);
      this.fail(error);
    });
  }

  #succeed(answer: HttpResponse): void {
    const { progress } = this.#request;
    this.#observed.answered(answer);
    progress.status = answer.status;
    progress.bytes = answer.bytes;
    this.#outcome.resolve(answer);
  }
}
