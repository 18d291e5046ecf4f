import { type OutgoingRequest, refuse } from './chain.ts';
import { type Call, notSentInTime, OverloadedError, RestNetworkError } from './errors.ts';
import type { HttpResponse, Outcome } from './request.ts';
import { toSeconds } from './response.ts';
import { isTransient, RATE_LIMITED } from './status.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** The parts of a request that decide whether it may be repeated. */
type Repeatable = Pick<OutgoingRequest, 'call' | 'signal' | 'deadline'>;

/** Waits before a call is repeated; an abort ends the wait. Returns false at once if too many calls wait already. */
type Pause<R> = (ms: number, request: R) => Promise<boolean>;

interface RepeatOptions<R> {
  /** How often a call is repeated at most. */
  readonly count: number;
  readonly pause: Pause<R>;
  readonly next: (request: R, outcome: Outcome) => void;
}

/**
 * Repeats a call up to `count` times, if that is safe: writes that provably never left, reads whose connection failed,
 * and reads answered with 502, 503, 504, or with a 429 whose wait ends before the deadline. A timeout is not retried,
 * because its time is spent. An aborted operation makes no attempt.
 */
export const retries =
  <R extends Repeatable>(options: RepeatOptions<R>): RepeatOptions<R>['next'] =>
  (request, outcome) =>
    new Repeated(request, outcome, options).attempt();

/** A call, and the outcome of each of its attempts. */
class Repeated<R extends Repeatable> implements Outcome {
  readonly #request: R;
  readonly #outcome: Outcome;
  readonly #options: RepeatOptions<R>;
  /** Attempts that were followed by another. */
  #tried = 0;
  /** Ends the call as the latest attempt has ended; null before one has. */
  #endAsBefore: (() => void) | null = null;

  constructor(request: R, outcome: Outcome, options: RepeatOptions<R>) {
    this.#request = request;
    this.#outcome = outcome;
    this.#options = options;
  }

  attempt(): void {
    const request = this.#request;
    const { call, signal } = request;
    if (signal.aborted) refuse(this.#outcome, notSentInTime(call, signal.reason));
    else this.#options.next(request, this);
  }

  resolve(answer: HttpResponse): void {
    const asked = this.#isLast() ? null : pauseAskedFor(answer, this.#request);
    if (asked === null) this.#outcome.resolve(answer);
    else this.#repeat(asked, () => this.#outcome.resolve(answer));
  }

  reject(error: Error): void {
    const { call, signal } = this.#request;
    // OverloadedError says "nothing was sent", which is wrong here: only the retry was not sent.
    if (error instanceof OverloadedError && this.#endAsBefore !== null) {
      this.#endAsBefore();
    } else if (this.#isLast() || signal.aborted || !isRepeatable(error, call)) {
      this.#outcome.reject(error);
    } else {
      this.#repeat(0, () => this.#outcome.reject(error));
    }
  }

  #isLast(): boolean {
    return this.#tried === this.#options.count;
  }

  #repeat(ms: number, endAsBefore: () => void): void {
    this.#endAsBefore = endAsBefore;
    const wait = ms + pauseAfter(this.#tried);
    this.#tried += 1;
    void this.#options.pause(wait, this.#request).then((mayGoOn) => {
      if (mayGoOn) this.attempt();
      else endAsBefore();
    });
  }
}

/** Always waits; an abort ends the wait. */
export function sleepUnlessAborted(ms: number, { signal }: Repeatable): Promise<true> {
  return new Promise((resolve) => {
    const pause = {
      handleEvent() {
        clearTimeout(timer);
        signal.removeEventListener('abort', pause);
        resolve(true);
      },
    };
    const timer = setTimeout(pause.handleEvent, ms);
    if (signal.aborted) pause.handleEvent();
    else signal.addEventListener('abort', pause);
  });
}

/** How long a read with this answer must wait before a retry; null if it is not retried. Unit: milliseconds. */
function pauseAskedFor(
  { status, headers }: HttpResponse,
  { call, deadline }: Repeatable,
): number | null {
  if (call.method !== 'GET') return null;
  if (isTransient(status)) return 0;
  const seconds = status === RATE_LIMITED ? toSeconds(headers['retry-after']) : null;
  if (seconds === null) return null;
  const pause = seconds * 1000;
  return performance.now() + pause + LONGEST_PAUSE_MS < deadline ? pause : null;
}

function isRepeatable(error: unknown, { method }: Call): boolean {
  if (!(error instanceof RestNetworkError) || error.kind === 'timeout') return false;
  return method === 'GET' || !error.mayHaveLeft;
}

/** Exponential backoff with full jitter: calls that failed together are not retried together. Unit: milliseconds. */
const pauseAfter = (tried: number): number =>
  Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** tried, LONGEST_PAUSE_MS);
