import type { Answers } from './answers.ts';
import { Refusal } from './refusal.ts';

const WINDOW_MS = 1000;

/** Counts calls per token and second, and refuses those above the answer. Open point: rate limits. */
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
      const headers = retryAfterHeader(window.endsAt, retryAfter);
      throw new Refusal(
        429,
        'rate_limited',
        `${rateLimit} calls a second at most`,
        headers,
      );
    }
  };
}

function retryAfterHeader(
  endsAt: number,
  form: Answers['retryAfter'],
): Record<string, string> {
  if (form === 'none') return {};
  if (form === 'seconds') return { 'retry-after': '1' };
  // A date has whole seconds; rounded up, it never lies before the end.
  const date = new Date(Math.ceil(endsAt / 1000) * 1000);
  return { 'retry-after': date.toUTCString() };
}
