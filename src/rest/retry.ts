import { type Signal, waitUnlessAborted } from '../callers/abort.ts';
import type { OutgoingRequest } from './chain.ts';
import { RestNetworkError } from './errors.ts';
import type { HttpResponse } from './request.ts';
import { toSeconds } from './response.ts';
import { isTransient, RATE_LIMITED } from './status.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** An abort ends the wait. Unit: milliseconds. */
export const sleepUnlessAborted = (ms: number, signal: Signal): Promise<unknown> =>
  waitUnlessAborted(signal, (begin) => {
    const timer = setTimeout(begin, ms);
    return () => clearTimeout(timer);
  });

/**
 * How long a read with this answer must wait before a retry: as long as `Retry-After` says, if that ends a second before the
 * deadline. Without it, 502, 503 and 504 ask for no wait, and 429 for no retry. Null if it is not retried. Unit: milliseconds.
 */
export function pauseAskedFor(
  { status, headers }: HttpResponse,
  { call, deadline }: OutgoingRequest,
): number | null {
  if (call.method !== 'GET') return null;
  if (!isTransient(status) && status !== RATE_LIMITED) return null;
  const seconds = toSeconds(headers['retry-after']);
  if (!seconds && isTransient(status)) return 0;
  if (seconds === null) return null;
  const pause = seconds * 1000;
  return performance.now() + pause + LONGEST_PAUSE_MS < deadline ? pause : null;
}

/**
 * Whether a call that failed may be repeated: a read whose connection failed, or a write that provably never left. A timeout is
 * not retried, because its time is spent; nor is a malformed answer, because the next one would be the same.
 */
export function isRepeatable(error: Error): boolean {
  if (!(error instanceof RestNetworkError) || error.kind !== 'unreachable') return false;
  return error.call.method === 'GET' || !error.mayHaveLeft;
}

/** Exponential backoff with full jitter: calls that failed together are not retried together. Unit: milliseconds. */
export const pauseAfter = (attempts: number): number =>
  Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
