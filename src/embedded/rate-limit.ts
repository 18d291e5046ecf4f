import type { Answers } from './answers.ts';
import { HttpError } from './errors.ts';

const WINDOW_MS = 1000;

/** Counts the calls of each token in windows of one second. Open point: rate limits. */
export function createRateLimit({
  rateLimit,
  retryAfter,
}: Answers): (token: string) => void {
  const windows = new Map<string, { endsAt: number; calls: number }>();

  return (token) => {
    if (rateLimit === null) return;
    const open = windows.get(token);
    const window =
      open !== undefined && Date.now() < open.endsAt
        ? open
        : { endsAt: Date.now() + WINDOW_MS, calls: 0 };
    windows.set(token, window);
    window.calls += 1;
    if (window.calls > rateLimit) {
      const message = `at most ${rateLimit} calls per second are allowed`;
      const headers = toRetryAfter(window.endsAt, retryAfter);
      throw new HttpError(429, 'rate_limited', message, headers);
    }
  };
}

function toRetryAfter(
  endsAt: number,
  format: Answers['retryAfter'],
): Record<string, string> {
  if (format === 'none') return {};
  if (format === 'seconds') return { 'retry-after': '1' };
  // HTTP dates have whole seconds; rounding up keeps the date from preceding the window's end.
  const date = new Date(Math.ceil(endsAt / 1000) * 1000);
  return { 'retry-after': date.toUTCString() };
}
