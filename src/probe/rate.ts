import type { Note } from './asker.ts';
import { type Found, unknown } from './found.ts';

/** Open point 17, as far as it was met. */
export interface RateFinding {
  /** Names of the headers that tell of limits. */
  readonly headers: readonly string[];
  /** How often the probe was answered 429. */
  readonly met: number;
  /** How a 429 says when to come back; null if none was met. */
  readonly retryAfter: 'seconds' | 'date' | 'none' | null;
}

const RATE_HEADER = /^(x-)?rate-?limit/;
const TOO_MANY_REQUESTS = 429;

/** Limits are not looked for, only noticed: asking until the service refuses would be no way to treat it. */
export function findRateLimits(notes: readonly Note[]): Found<RateFinding> {
  const refused = notes.filter(({ status }) => status === TOO_MANY_REQUESTS);
  const values = new Map(
    notes.flatMap(({ headers }) =>
      Object.entries(headers).filter(([name]) => RATE_HEADER.test(name)),
    ),
  );
  if (refused.length === 0 && values.size === 0) {
    return unknown(`no header names one, and none was met in ${notes.length} calls`);
  }
  const retryAfter = refused[0] === undefined ? null : formOf(refused[0]);
  const headers = [...values.keys()];
  // Numbers alone: anything else in a header is not ours to print.
  const shown = headers.map((name) => {
    const value = values.get(name);
    return typeof value === 'string' && /^\d+$/.test(value) ? `${name}: ${value}` : name;
  });
  const found = [
    ...(retryAfter === null ? [] : [`429 ${RETRY_WORDS[retryAfter]}`]),
    ...headers,
  ];
  return {
    finding: { headers, met: refused.length, retryAfter },
    words: found.join(', '),
    confidence: 'certain',
    evidence: `${refused.length} of ${notes.length} calls were answered 429${headers.length > 0 ? `; the last headers were ${shown.join(', ')}` : ''}`,
  };
}

const RETRY_WORDS = {
  seconds: 'with Retry-After in seconds',
  date: 'with Retry-After as a date',
  none: 'without Retry-After',
};

function formOf({ headers }: Note): 'seconds' | 'date' | 'none' {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return 'none';
  return /^\d+$/.test(value) ? 'seconds' : 'date';
}
