import { OPEN_POINTS, type OpenPoint, type Point } from '../messaging/open-points.ts';
import { PROBED_LISTS, type ProbedList } from '../messaging/probed.ts';
import { USUAL_PARAMETERS } from '../paging/parameters.ts';
import { STYLES } from '../paging/shared-paging.ts';
import { parseBaseAddress } from '../rest/address.ts';
import type { Finding } from './explain.ts';
import { compareFields, type FieldsFinding } from './fields.ts';
import { type Found, unknown } from './found.ts';
import { KnownList } from './known-list.ts';
import {
  chooseList,
  type FirstPage,
  isFirstPage,
  readFirst,
  readWithin,
  toPage,
} from './lists.ts';
import { findMaxLimit, type MaxLimit } from './max-limit.ts';
import { describeNouns } from './nouns.ts';
import { findOrder } from './order.ts';
import { PagingStudy, studyPaging } from './paging.ts';
import { describePaging, type PagingFinding } from './paging-report.ts';
import {
  describeRefusals,
  findRateLimits,
  findSuccessStatuses,
  NO_STATUSES,
  provokeRefusals,
} from './refusals.ts';
import { ProbeError, Session, Stopped } from './session.ts';
import { findTimestampUnit } from './timestamp-unit.ts';
import { checkToken, createReportRedactor, redactTexts } from './token.ts';

interface ProbeOptions {
  /** The service's base address, without `/v1`. */
  readonly url: string;
  /** The bearer token, without "Bearer ". */
  readonly token: string;
  /** Receives one line before each call. */
  readonly onProgress?: ((line: string) => void) | undefined;
}

/** What a probe found out about a service. */
export interface ProbeReport {
  readonly url: string;
  readonly points: readonly PointReport[];
  readonly fields: FieldsFinding;
  /** Settings of the gateway, by name; only those the probe has evidence for. */
  readonly settings: Readonly<Record<string, string>>;
  /** Calls sent. */
  readonly calls: number;
  /** Why the probe ended early; null if it did not. */
  readonly stopped: string | null;
}

/** The finding about one open point. */
export interface PointReport extends Found<unknown> {
  readonly number: number;
  readonly title: string;
}

/** Open point: rate limits. Any service should accept this many calls within a minute. */
const MAX_CALLS = 60;
/** Of one call and its response; the defaults of REST_TIMEOUT_MS and MAX_RESPONSE_BYTES. */
const BOUNDS = { timeoutMs: 10_000, maxResponseBytes: 16 * 1024 * 1024 };
/** In a complete list of fewer items, the next page looks like the first one. */
const MIN_ITEMS = 3;

/** What the probe has found so far. It grows step by step, so that a probe that ends early can report it. */
class Study {
  /** Of each list that can be read, the longest one seen. */
  firstPages: readonly FirstPage[] = [];
  refusals = NO_STATUSES;
  maxLimit: Found<MaxLimit> | null = null;
  /** Null while no list is long enough. */
  paging: PagingStudy | null = null;
}

/**
 * Finds out, with reads only, how a live service settles the open points of the interface. Throws ProbeError if that is
 * impossible: no service at the address, a token that it rejects, another interface.
 */
export async function probe(options: ProbeOptions): Promise<ProbeReport> {
  const { token } = options;
  const url = toBaseAddress(options.url);
  checkToken(token);
  const redact = createReportRedactor(token);
  const onProgress = (line: string) => options.onProgress?.(redact(line));
  onProgress(`At most ${MAX_CALLS} reads from ${url}; nothing is written.`);

  const target = { url, token, ...BOUNDS };
  const session = new Session({ target, maxCalls: MAX_CALLS, onProgress });
  const study = new Study();
  let stopped: string | null = null;
  try {
    await run(session, study);
  } catch (error) {
    if (error instanceof ProbeError) throw new ProbeError(redact(error.message));
    if (!(error instanceof Stopped)) throw error;
    stopped = error.message;
  } finally {
    await session.close();
  }
  return redactTexts(conclude(session, study, stopped), redact);
}

/** Throws a ProbeError that never repeats the address: it may be a misplaced token, or contain a password. */
export function toBaseAddress(text: string): string {
  const address = parseBaseAddress(text);
  if (address === null) {
    throw new ProbeError(
      'The base address must be an http or https address without credentials, query or fragment, such as https://messaging.example.',
    );
  }
  if (!address.hasVersion) return address.url;
  throw new ProbeError(
    'Give the base address without "/v1" at its end: the probe adds it.',
  );
}

/** Runs all steps, the most expensive ones last. */
async function run(session: Session, study: Study): Promise<void> {
  const pages = await readFirstPages(session);
  study.firstPages = pages;
  study.refusals = await provokeRefusals(session, pages);
  const longest = chooseList(pages);
  const search = { session, longest };
  const [other] = pages.filter((page) => page !== longest);
  study.maxLimit = await findMaxLimit(search);
  const first = search.longest;
  study.firstPages = other === undefined ? [first] : [first, other];
  if (!first.hasMore && first.ids.length < MIN_ITEMS) return;
  study.paging = new PagingStudy();
  const max = study.maxLimit.finding?.max ?? null;
  await studyPaging(
    study.paging,
    new KnownList(session, first, max),
    other === undefined ? null : new KnownList(session, other, max),
  );
}

/** Reads the first page of each list; throws ProbeError if this is not the messaging interface. */
async function readFirstPages(session: Session): Promise<readonly FirstPage[]> {
  const found: { list: ProbedList; first: FirstPage | Finding }[] = [];
  for (const list of PROBED_LISTS) {
    found.push({ list, first: await readFirst(session, list) });
  }
  const whole = found.map(({ first }) => first).filter(isFirstPage);
  const pages: FirstPage[] = [];
  let trouble: Finding | null = null;
  for (const { list, first } of found) {
    if (!isFirstPage(first)) trouble = first;
    const page = isFirstPage(first) ? first : await readWithin(session, list, whole);
    if (page !== null) pages.push(page);
  }
  if (trouble === null || pages.length > 0) return pages;
  throw new ProbeError(
    `The ${trouble.subject} does not fit: ${trouble.words}. "messaging-graphql check" says what to change.`,
  );
}

/** Writes the report, from the study and from every response of the session. */
function conclude(session: Session, study: Study, stopped: string | null): ProbeReport {
  const { responses, calls } = session;
  const { url } = session.target;
  const lists = responses.flatMap((response) => {
    const page = toPage(response);
    return page === null ? [] : [{ ...page, route: response.route }];
  });
  const pages = lists.map(({ json }) => json);
  const seen = PROBED_LISTS.map((list) => {
    const parts = lists.filter(({ route }) => route === list.path.route);
    const items = parts.flatMap((page) => page.items);
    const unique = new Map(items.map((item) => [item.id ?? item, item]));
    return { list, items: [...unique.values()] };
  });
  const maxLimit =
    study.maxLimit ??
    unknown(`the probe did not search for it: ${stopped ?? 'there was no list'}`);
  const max = maxLimit.finding?.max ?? null;
  const found = {
    ...describeNouns(seen, responses),
    4: findTimestampUnit(seen),
    6: findSuccessStatuses(responses),
    8: describePaging(study.paging, { max, stopped, pages }),
    9: findOrder(study.firstPages),
    15: describeRefusals(study.refusals, responses),
    16: maxLimit,
    17: findRateLimits(responses),
  } satisfies Record<OpenPoint, Found<unknown>>;
  return {
    url,
    points: Object.entries<Point>(OPEN_POINTS).map(([key, { title, isSettled }]) => {
      const number = Number(key) as OpenPoint;
      const one = isSettled ? unknown('the interface states it') : found[number];
      return { number, title, ...one };
    }),
    fields: compareFields(seen, pages),
    settings: {
      MESSAGING_URL: url,
      ...toPagingSettings(found[8].finding),
      ...(max === null ? {} : { MAX_LIMIT: String(max) }),
      ...(found[4].finding === null ? {} : { TIMESTAMP_UNIT: found[4].finding }),
    },
    calls,
    stopped,
  };
}

/** The settings of the gateway for this way of paging, without default values. */
function toPagingSettings(paging: PagingFinding | null): Record<string, string> {
  if (paging === null) return {};
  const { style, param, backParam, unknownCursor } = paging;
  // The gateway cannot count pages from zero.
  if (!STYLES.some((name) => name === style)) return { PAGING: 'limit' };
  const settings: Record<string, string> = { PAGING: style };
  if (param !== null && param !== style) settings.PAGING_PARAM = param;
  if (backParam !== null && backParam !== USUAL_PARAMETERS.before) {
    settings.PAGING_BACK_PARAM = backParam;
  }
  if (unknownCursor === 'first') settings.PAGING_UNKNOWN_ID = 'first';
  return settings;
}
