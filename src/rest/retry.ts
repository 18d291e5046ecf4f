import type { OutgoingRequest } from './chain.ts';
import { type Call, OverloadedError, RestNetworkError } from './errors.ts';
import type { HttpResponse } from './request.ts';
import { toSeconds } from './response.ts';

/** Statuses after which a read may be repeated. */
const TRANSIENT_STATUSES: readonly number[] = [502, 503, 504];
/** Open point: rate limits. */
const RATE_LIMITED = 429;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** The parts of a request that decide whether it may be repeated. */
type Repeatable = Pick<OutgoingRequest, 'call' | 'signal' | 'deadline'>;

/** Waits before a call is repeated; an abort ends the wait. Returns false at once if too many calls wait already. */
type Pause<R> = (ms: number, request: R) => Promise<boolean>;

/**
 * Repeats a call up to `count` times, if that is safe: writes that provably never left, reads whose connection failed,
 * and reads answered with 502, 503, 504, or with a 429 whose wait ends before the deadline. A timeout is not retried,
 * because its time is spent. An aborted operation makes no attempt.
 */
export const retries =
  <R extends Repeatable>(count: number, pause: Pause<R> = sleepUnlessAborted) =>
  (next: (request: R) => Promise<HttpResponse>) =>
  async (request: R): Promise<HttpResponse> => {
    const { call, signal } = request;
    let earlier: (() => HttpResponse) | null = null;
    for (let tried = 0; ; tried += 1) {
      if (signal.aborted) throw tooLate(request);
      const last = tried === count;
      let ms = pauseAfter(tried);
      try {
        const answer = await next(request);
        const asked = last ? null : pauseAskedFor(answer, request);
        if (asked === null) return answer;
        ms = asked + pauseAfter(tried);
        earlier = () => answer;
      } catch (error) {
        // OverloadedError says "nothing was sent", which is wrong here: only the retry was not sent.
        if (error instanceof OverloadedError && earlier !== null) return earlier();
        if (last || signal.aborted || !isRepeatable(error, call)) throw error;
        earlier = () => {
          throw error;
        };
      }
      if (!(await pause(ms, request))) return earlier();
    }
  };

/** Always waits; an abort ends the wait. */
export function sleepUnlessAborted(ms: number, { signal }: Repeatable): Promise<true> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(true);
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
}

/** The error of an attempt that was not made, because the operation was aborted. */
const tooLate = ({ call, signal }: Repeatable): RestNetworkError =>
  new RestNetworkError(call, {
    kind: 'timeout',
    mayHaveLeft: false,
    cause: signal.reason,
  });

/** How long a read with this answer must wait before a retry; null if it is not retried. Unit: milliseconds. */
function pauseAskedFor(
  { status, headers }: HttpResponse,
  { call, deadline }: Repeatable,
): number | null {
  if (call.method !== 'GET') return null;
  if (TRANSIENT_STATUSES.includes(status)) return 0;
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
