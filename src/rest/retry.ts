import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, OverloadedError, RestNetworkError } from './errors.ts';
import type { HttpResponse } from './request.ts';
import { toSeconds } from './response.ts';

/** Statuses that say "not now"; a read may be asked again. */
const TRANSIENT_STATUSES: readonly number[] = [502, 503, 504];
/** Open point: rate limits. */
const RATE_LIMITED = 429;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

export interface RetryOptions {
  readonly call: Call;
  readonly retries: number;
  readonly signal: AbortSignal;
  /** When the operation's time is up, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly deadline: number;
}

/**
 * Tries again, up to `retries` times, what may be tried again: reads that found no connection, lost it, were answered
 * 502, 503 or 504, or 429 with a time that lies before the deadline; and writes that provably never left. A timeout is
 * not tried again: its time is spent. What is over before it begins is not attempted at all.
 */
export async function withRetries(
  attempt: () => Promise<HttpResponse>,
  options: RetryOptions,
): Promise<HttpResponse> {
  const { call, retries, signal } = options;
  let earlier: (() => HttpResponse) | null = null;
  for (let tried = 0; ; tried += 1) {
    if (signal.aborted) throw tooLate(options);
    const last = tried === retries;
    let pause = pauseAfter(tried);
    try {
      const answer = await attempt();
      const asked = last ? null : pauseAskedFor(answer, options);
      if (asked === null) return answer;
      pause = asked + pauseAfter(tried);
      earlier = () => answer;
    } catch (error) {
      // "Nothing was sent" would be wrong of a call that was, and has only not been made again.
      if (error instanceof OverloadedError && earlier !== null) return earlier();
      if (last || signal.aborted || !isRepeatable(error, call)) throw error;
      earlier = () => {
        throw error;
      };
    }
    // An abort ends the wait.
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

/** Of an attempt that nobody would wait for; whatever may have been before it, nothing of this one has left. */
const tooLate = ({ call, signal }: RetryOptions): RestNetworkError =>
  new RestNetworkError(call, {
    kind: 'timeout',
    mayHaveLeft: false,
    cause: signal.reason,
  });

/** How long a read that was answered so must wait at least; null if it is not to be tried again. Unit: milliseconds. */
function pauseAskedFor(
  { status, headers }: HttpResponse,
  { call, deadline }: RetryOptions,
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

/** A random part of a pause that doubles each time, so that callers who failed together do not return together. */
const pauseAfter = (tried: number): number =>
  Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** tried, LONGEST_PAUSE_MS);
