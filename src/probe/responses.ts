import { PROBED_LISTS, type ProbedList } from '../messaging/probed.ts';
import { createUnknownId } from '../paging/unknown-id.ts';
import { isRefusal, isSuccess, isUnknownId, RATE_LIMITED } from '../rest/status.ts';
import { keyPaths } from './fields.ts';
import { type Found, joinParts, unknown } from './found.ts';
import { type ListPage, toNoun } from './lists.ts';
import type { Reply, Session } from './session.ts';
import { createToken } from './token.ts';

/** The statuses of the calls that the service should refuse, such as `unknownMessage`; 0 if there was no response. */
export type RefusalStatuses = Readonly<Record<string, number>>;

const statusName = ({ typeName }: ProbedList): string => `unknown${typeName}`;

/** Reads an unknown id of each list, and a list with an invalid token. */
export async function provokeRefusals(
  session: Session,
  pages: readonly ListPage[],
): Promise<RefusalStatuses> {
  const statuses: Record<string, number> = {};
  for (const list of PROBED_LISTS) {
    const ids = pages.find((page) => page.list === list)?.ids ?? [];
    const { status } = await session.read({
      purpose: `a ${toNoun(list)} with an unknown id`,
      path: list.toItemPath(createUnknownId(ids)),
    });
    statuses[statusName(list)] = status;
  }
  const stranger = { ...session.target, token: createToken() };
  const { status } = await session.askElsewhere(stranger, {
    purpose: 'a list with an invalid token',
    path: PROBED_LISTS[0].path,
    query: { limit: 1 },
  });
  return { ...statuses, badToken: status };
}

/** Open point: error format. Examines every refusal of the probe. */
export function describeRefusals(
  statuses: RefusalStatuses,
  responses: readonly Reply[],
): Found {
  const refusals = responses.filter(({ status }) => isRefusal(status));
  const [sample] = refusals;
  if (sample === undefined) return unknown('no call was refused');
  const formats = [...new Set(refusals.map(formatOf))];
  const format = formats.length === 1 ? formats[0] : 'mixed';
  // The key paths of a JSON error with their types, `error.code: string`.
  const shape = format === 'json' || format === 'problem' ? keyPaths(sample.json, 2) : [];
  const badToken = statuses.badToken || null;
  const ids = PROBED_LISTS.map((list) => {
    const status = statuses[statusName(list)] || null;
    return { key: statusName(list), noun: toNoun(list), status };
  });
  const [first, ...others] = new Set(ids.map(({ status }) => status));
  const unknownIds =
    others.length === 0
      ? toText(first)
      : ids.map(({ status, noun }) => `${toText(status)} (${noun})`).join(', ');
  const isComplete = ![badToken, first, ...others].includes(null);
  // The gateway reads 404 and 410 as an unknown id.
  const odd = [first, ...others].find((status) => status && !isUnknownId(status));
  return {
    finding: {
      format,
      shape,
      ...Object.fromEntries(ids.map(({ key, status }) => [key, status])),
      badToken,
    },
    words: `${formats.join(' or ')}; unknown id ${unknownIds}, bad token ${toText(badToken)}`,
    confidence: isComplete && format !== 'mixed' ? 'certain' : 'likely',
    evidence: joinParts(
      `seen in ${refusals.length} refusals`,
      shape.length > 0 && `their fields are ${shape.join(', ')}`,
      odd &&
        (odd < 400
          ? 'an unknown id was answered with success'
          : `the gateway shows an error for ${odd}, but null for 404 and 410`),
    ),
  };
}

const toText = (status: number | null = null): string => String(status ?? 'no answer');

function formatOf({ text, headers, json }: Reply) {
  if (text.trim() === '') return 'empty';
  const type = `${headers['content-type'] ?? ''}`;
  if (json !== undefined) return type.includes('problem+json') ? 'problem' : 'json';
  return type.includes('html') || text.trimStart().startsWith('<') ? 'html' : 'text';
}

/** Open point: success status codes. */
export function findSuccessStatuses(responses: readonly Reply[]): Found {
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

const RATE_HEADER = /^(x-)?rate-?limit/;
const INTEGER = /^\d+$/;

/** Open point: rate limits. The probe does not provoke any, which would burden the service; it reports those it meets. */
export function findRateLimits(responses: readonly Reply[]): Found {
  const limited = responses.filter(({ status }) => status === RATE_LIMITED);
  const values = new Map(
    responses.flatMap(({ headers }) =>
      Object.entries(headers).filter(([name]) => RATE_HEADER.test(name)),
    ),
  );
  if (limited.length === 0 && values.size === 0) {
    return unknown(`no header mentions one, and ${responses.length} calls met none`);
  }
  const headers = [...values.keys()];
  const retryAfter = limited[0] === undefined ? null : retryAfterOf(limited[0]);
  // Prints numbers only: any other value could contain secrets.
  const shown = Array.from(values, ([name, value]) =>
    INTEGER.test(String(value)) ? `${name}: ${value}` : name,
  );
  return {
    // `met`: calls answered with 429. `retryAfter`: how the first of them says when to retry.
    finding: { headers, met: limited.length, retryAfter },
    words: [
      ...(retryAfter === null ? [] : [`429 ${RETRY_WORDS[retryAfter]}`]),
      ...headers,
    ].join(', '),
    confidence: 'certain',
    evidence: `${limited.length} of ${responses.length} calls got a 429${headers.length > 0 ? `; the last headers were ${shown.join(', ')}` : ''}`,
  };
}

const RETRY_WORDS = {
  seconds: 'with Retry-After in seconds',
  date: 'with Retry-After as a date',
  none: 'without Retry-After',
};

function retryAfterOf({ headers }: Reply): keyof typeof RETRY_WORDS {
  const value = headers['retry-after'];
  if (value === undefined) return 'none';
  return INTEGER.test(value) ? 'seconds' : 'date';
}

const VERSION_HEADER = /deprecat|sunset|api-version/;

/** Open point: version policy. */
export function findVersions(responses: readonly Reply[]): Found {
  const names = responses.flatMap(({ headers }) => Object.keys(headers));
  const found = new Set(names.filter((name) => VERSION_HEADER.test(name)));
  return unknown(
    found.size === 0
      ? 'no header mentions a version'
      : `headers that mention a version: ${[...found].join(', ')}`,
  );
}
