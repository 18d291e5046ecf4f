import { PROBED_LISTS, type ProbedList } from '../messaging/probed.ts';
import { createUnknownId } from '../paging/unknown-id.ts';
import { isRefusal, isSuccess, isUnknownId, RATE_LIMITED } from '../rest/status.ts';
import { keyPaths } from './fields.ts';
import { type Found, unknown } from './found.ts';
import { type FirstPage, toNoun } from './lists.ts';
import type { JsonResponse, Session } from './session.ts';
import { createToken } from './token.ts';

/** The statuses of the calls that the service should refuse: `unknownMessage`, `badToken`. Null if there was no response. */
export type RefusalStatuses = Readonly<Record<string, number | null>>;

type RefusalFinding =
  | RefusalStatuses
  | {
      /** `mixed`: the refusals differ. */
      readonly format: ErrorFormat | 'mixed';
      /** Key paths of a JSON error with their types, `error.code: string`. */
      readonly shape: readonly string[];
    };

type ErrorFormat = 'json' | 'problem' | 'text' | 'html' | 'empty';

const toKey = ({ typeName }: ProbedList): string => `unknown${typeName}`;

export const NO_STATUSES: RefusalStatuses = Object.fromEntries(
  [...PROBED_LISTS.map(toKey), 'badToken'].map((key) => [key, null]),
);

/** Reads an unknown id of each list, and a list with an invalid token. */
export async function provokeRefusals(
  session: Session,
  pages: readonly FirstPage[],
): Promise<RefusalStatuses> {
  const statuses: Record<string, number | null> = { ...NO_STATUSES };
  for (const list of PROBED_LISTS) {
    const page = pages.find((one) => one.list.name === list.name);
    const response = await session.read({
      purpose: `a ${toNoun(list)} with an unknown id`,
      path: list.toItemPath(createUnknownId(page?.ids ?? [])),
    });
    statuses[toKey(list)] = response?.status ?? null;
  }
  const stranger = { ...session.target, token: createToken() };
  const response = await session.askElsewhere(stranger, {
    purpose: 'a list with an invalid token',
    path: PROBED_LISTS[0].path,
    query: { limit: 1 },
  });
  return { ...statuses, badToken: response?.status ?? null };
}

/** Open point: error format. Examines every refusal of the probe. */
export function describeRefusals(
  statuses: RefusalStatuses,
  responses: readonly JsonResponse[],
): Found<RefusalFinding> {
  const refusals = responses.filter(({ status }) => isRefusal(status));
  const [sample] = refusals;
  if (sample === undefined) return unknown('no call was refused');
  const formats = new Set(refusals.map(formatOf));
  const [only = 'empty'] = formats;
  const format = formats.size === 1 ? only : 'mixed';
  const isJson = format === 'json' || format === 'problem';
  const shape = isJson ? keyPaths(sample.json, { depth: 2, intoArrays: false }) : [];
  const isComplete = !Object.values(statuses).includes(null);
  const unknownIds = PROBED_LISTS.map((list) => statuses[toKey(list)] ?? null);
  return {
    finding: { format, shape, ...statuses },
    words: `${[...formats].join(' or ')}; ${describeStatuses(statuses)}`,
    confidence: isComplete && format !== 'mixed' ? 'certain' : 'likely',
    evidence: [
      `seen in ${refusals.length} refusals`,
      ...(shape.length > 0 ? [`their fields are ${shape.join(', ')}`] : []),
      ...unknownIds.flatMap(toWarning).slice(0, 1),
    ].join('; '),
  };
}

function describeStatuses(statuses: RefusalStatuses): string {
  const words = (key: string) => String(statuses[key] ?? 'no answer');
  const unknownIds = PROBED_LISTS.map((list) => words(toKey(list)));
  const ids =
    new Set(unknownIds).size === 1
      ? unknownIds[0]
      : PROBED_LISTS.map((list) => `${words(toKey(list))} (${toNoun(list)})`).join(', ');
  return `unknown id ${ids}, bad token ${words('badToken')}`;
}

/** The gateway reads 404 and 410 as an unknown id. */
function toWarning(status: number | null): string[] {
  if (status === null || isUnknownId(status)) return [];
  return [
    status < 400
      ? 'an unknown id was answered with success'
      : `the gateway shows an error for ${status}, but null for 404 and 410`,
  ];
}

function formatOf({ text, headers, json }: JsonResponse): ErrorFormat {
  if (text.trim() === '') return 'empty';
  const type = `${headers['content-type'] ?? ''}`;
  if (json !== undefined) return type.includes('problem+json') ? 'problem' : 'json';
  return type.includes('html') || text.trimStart().startsWith('<') ? 'html' : 'text';
}

/** Open point: success status codes. */
export function findSuccessStatuses(
  responses: readonly JsonResponse[],
): Found<readonly number[]> {
  const statuses = responses.map(({ status }) => status).filter(isSuccess);
  if (statuses.length === 0) return unknown('no call succeeded');
  const finding = [...new Set(statuses)];
  return {
    finding,
    words: `reads: ${finding.join(', ')}`,
    confidence: 'certain',
    evidence: `${statuses.length} reads succeeded; only a write would show the status of writes`,
  };
}

interface RateFinding {
  /** Names of the headers about rate limits. */
  readonly headers: readonly string[];
  /** Calls answered with 429. */
  readonly met: number;
  /** How a 429 says when to retry; null if there was none. */
  readonly retryAfter: RetryAfter | null;
}

type RetryAfter = 'seconds' | 'date' | 'none';

const RATE_HEADER = /^(x-)?rate-?limit/;

/** Open point: rate limits. The probe does not provoke any, which would burden the service; it reports those it meets. */
export function findRateLimits(responses: readonly JsonResponse[]): Found<RateFinding> {
  const limited = responses.filter(({ status }) => status === RATE_LIMITED);
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
