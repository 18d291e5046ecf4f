import { type Found, type RateFinding, type RetryAfter, unknown } from './report.ts';
import type { JsonResponse } from './session.ts';

const RATE_HEADER = /^(x-)?rate-?limit/;
const TOO_MANY_REQUESTS = 429;

/** Open point: rate limits. The probe does not provoke any, which would burden the service; it reports those it meets. */
export function findRateLimits(responses: readonly JsonResponse[]): Found<RateFinding> {
  const limited = responses.filter(({ status }) => status === TOO_MANY_REQUESTS);
  const values = new Map(
    responses.flatMap(({ headers }) =>
      Object.entries(headers).filter(([name]) => RATE_HEADER.test(name)),
    ),
  );
  if (limited.length === 0 && values.size === 0) {
    return unknown(`no header mentions one, and ${responses.length} calls met none`);
  }
  const retryAfter = limited[0] === undefined ? null : retryAfterOf(limited[0]);
  const headers = [...values.keys()];
  // Prints numbers only: any other value could contain secrets.
  const shown = Array.from(values, ([name, value]) =>
    typeof value === 'string' && /^\d+$/.test(value) ? `${name}: ${value}` : name,
  );
  const words = [
    ...(retryAfter === null ? [] : [`429 ${RETRY_WORDS[retryAfter]}`]),
    ...headers,
  ];
  return {
    finding: { headers, met: limited.length, retryAfter },
    words: words.join(', '),
    confidence: 'certain',
    evidence: `${limited.length} of ${responses.length} calls got a 429${headers.length > 0 ? `; the last headers were ${shown.join(', ')}` : ''}`,
  };
}

const RETRY_WORDS: Record<RetryAfter, string> = {
  seconds: 'with Retry-After in seconds',
  date: 'with Retry-After as a date',
  none: 'without Retry-After',
};

function retryAfterOf({ headers }: JsonResponse): RetryAfter {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return 'none';
  return /^\d+$/.test(value) ? 'seconds' : 'date';
}
