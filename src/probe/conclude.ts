import { USUAL_PARAMETERS } from '../paging/parameters.ts';
import { STYLES } from '../paging/shared-paging.ts';
import { isObject, type WireObject } from '../rest/decode.ts';
import { RATE_LIMITED } from '../rest/status.ts';
import { compareFields, findAttachments } from './fields.ts';
import { CONVERSATIONS, type ListPage, MESSAGES, toPage } from './list.ts';
import { OPEN_POINTS, type OpenPoint } from './open-points.ts';
import { findOrder } from './order.ts';
import { describePaging } from './paging-report.ts';
import { describeRefusals, findSuccessStatuses } from './refusals.ts';
import {
  type Findings,
  type Found,
  type PointReport,
  type ProbeReport,
  type RateFinding,
  type RetryAfter,
  unknown,
} from './report.ts';
import type { JsonResponse, Session } from './session.ts';
import type { Study } from './study.ts';
import { findTimestampUnit } from './timestamp-unit.ts';
import { describeUnsettled } from './unsettled.ts';

/** Writes the report, from the study and from every response of the session. */
export function conclude(
  study: Study,
  { session, stopped }: { session: Session; stopped: string | null },
): ProbeReport {
  const { responses, calls } = session;
  const { url } = session.target;
  const messages = itemsOf(responses, MESSAGES.path.route);
  const conversations = itemsOf(responses, CONVERSATIONS.path.route);
  const pages = pagesOf(responses);
  const findings: Findings = {
    2: findAttachments(messages),
    4: findTimestampUnit([...messages, ...conversations]),
    6: findSuccessStatuses(responses),
    8: describePaging(study, { stopped, pages }),
    9: findOrder(longestPage(study, 'messages'), longestPage(study, 'conversations')),
    15: describeRefusals(study.refusals, responses),
    16: describeMaxLimit(study, stopped),
    17: findRateLimits(responses),
  };
  const unsettled = describeUnsettled({ messages, conversations, responses });
  return {
    url,
    points: toPoints({ ...unsettled, ...findings }),
    fields: compareFields({ pages, messages, conversations }),
    settings: toSettings(url, findings),
    calls,
    stopped,
  };
}

/** Sorted by number, because a record keeps integer keys sorted. */
const toPoints = (found: Partial<Record<OpenPoint, Found<unknown>>>): PointReport[] =>
  Object.entries(OPEN_POINTS).map(([key, { title }]) => {
    const number = Number(key) as OpenPoint;
    return { number, title, ...found[number] } as PointReport;
  });

function describeMaxLimit({ maxLimit }: Study, stopped: string | null): Findings[16] {
  if (maxLimit === null) {
    return unknown(`the probe did not search for it: ${stopped ?? 'there was no list'}`);
  }
  const { max, atLeast, above, isConfirmed, evidence } = maxLimit;
  if (max === null && atLeast === 0) return unknown(evidence);
  const words =
    max === null
      ? `none seen: at least ${atLeast}`
      : `${max}; a larger limit ${above === 'capped' ? `returns ${max} items` : `is refused with ${above}`}`;
  const confidence = isConfirmed ? 'certain' : 'likely';
  return { finding: { max, atLeast, above }, words, confidence, evidence };
}

/** The longest first page of a list. */
function longestPage(
  { firstPages, maxLimit }: Study,
  name: 'messages' | 'conversations',
): ListPage | null {
  const first = firstPages[name];
  return first !== null && maxLimit?.longest.list === first.list
    ? maxLimit.longest
    : first;
}

/** Whole responses of list endpoints. */
const pagesOf = (responses: readonly JsonResponse[]): readonly WireObject[] =>
  responses
    .filter((response) => toPage(response) !== null)
    .map(({ json }) => json)
    .filter(isObject);

/** Every object that a list returned, each once. */
function itemsOf(
  responses: readonly JsonResponse[],
  route: string,
): readonly WireObject[] {
  const pages = responses.filter((response) => response.route === route).map(toPage);
  const items = pages.flatMap((page) => page?.items ?? []);
  return [...new Map(items.map((item) => [item.id ?? item, item])).values()];
}

/** The gateway's settings that follow from the findings, without unknown and default values. */
function toSettings(url: string, findings: Findings): Record<string, string> {
  const settings: Record<string, string> = { MESSAGING_URL: url };
  const paging = findings[8].finding;
  if (paging !== null) {
    const { style, param, backParam, unknownCursor } = paging;
    // The gateway cannot count pages from zero.
    const isUsable = STYLES.some((name) => name === style);
    settings.PAGING = isUsable ? style : 'limit';
    if (isUsable && param !== null && param !== style) settings.PAGING_PARAM = param;
    if (backParam !== null && backParam !== USUAL_PARAMETERS.before) {
      settings.PAGING_BACK_PARAM = backParam;
    }
    if (unknownCursor === 'first') settings.PAGING_UNKNOWN_ID = 'first';
  }
  const max = findings[16].finding?.max ?? null;
  if (max !== null) settings.MAX_LIMIT = String(max);
  const unit = findings[4].finding;
  if (unit !== null) settings.TIMESTAMP_UNIT = unit;
  return settings;
}

const RATE_HEADER = /^(x-)?rate-?limit/;

/** Open point: rate limits. The probe does not provoke any, which would burden the service; it reports those it meets. */
function findRateLimits(responses: readonly JsonResponse[]): Found<RateFinding> {
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
