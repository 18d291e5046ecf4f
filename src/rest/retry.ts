import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, RestNetworkError } from './errors.ts';
import type { Answer } from './exchange.ts';

/** Statuses that say "not now"; a read may be asked again. */
const TRANSIENT_STATUSES: readonly number[] = [502, 503, 504];
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/**
 * Tries again, up to `retries` times, what may be tried again: reads that found no connection, lost it or were answered
 * 502, 503 or 504, and writes that provably never left. A timeout is not tried again: its time is spent.
 */
export async function withRetries(
  attempt: () => Promise<Answer>,
  { call, retries, signal }: { call: Call; retries: number; signal: AbortSignal },
): Promise<Answer> {
  for (let tried = 0; ; tried += 1) {
    const last = tried === retries;
    try {
      const answer = await attempt();
      if (last || call.method !== 'GET' || !TRANSIENT_STATUSES.includes(answer.status))
        return answer;
    } catch (error) {
      if (last || signal.aborted || !isRepeatable(error, call)) throw error;
    }
    await pause(tried, signal);
  }
}

function isRepeatable(error: unknown, { method }: Call): boolean {
  if (!(error instanceof RestNetworkError) || error.kind === 'timeout') return false;
  return method === 'GET' || !error.mayHaveLeft;
}

/** Waits a random part of a pause that doubles each time, so that callers who failed together do not return together. */
async function pause(tried: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** tried, LONGEST_PAUSE_MS);
  // An abort ends the wait; the next attempt then fails at once, with the right error.
  await sleep(Math.random() * longest, undefined, { signal }).catch(() => {});
}
