import type { Config } from '../config.ts';
import { PROBED_LISTS, type ProbedList } from '../messaging/probed.ts';
import { STYLES } from '../paging/shared-paging.ts';
import { COUNTINGS } from '../paging/trial.ts';
import { RestDecodeError } from '../rest/errors.ts';
import { DEFAULT_PAGE_SIZE } from '../rest/list.ts';
import { UNAUTHORIZED } from '../rest/status.ts';
import { explainAnswer, type Finding, ok, problem } from './explain.ts';
import { compareFields, describeFields, type Seen } from './fields.ts';
import { BY_ID, KnownList } from './known-list.ts';
import {
  chooseList,
  type FirstPage,
  isFirstPage,
  readFirst,
  readWithin,
  toNoun,
} from './lists.ts';
import { type LimitSearch, tryLimit } from './max-limit.ts';
import { findNext, MIN_ITEMS } from './paging.ts';
import { findRightAddress } from './right-address.ts';
import { ProbeError, Session, Stopped } from './session.ts';
import { findTimestampUnit } from './timestamp-unit.ts';

interface CheckOptions {
  readonly config: Config;
  /** The bearer token, without "Bearer ". */
  readonly token: string;
  /** Receives one line before each call. */
  readonly onProgress: (line: string) => void;
}

/** A check needs at most a dozen, if the service limits none of them. */
const MAX_CALLS = 20;
const FIRST = { limit: DEFAULT_PAGE_SIZE };
/** The longest page that is asked for, whatever MAX_LIMIT allows. Unit: items. */
const LONGEST_PAGE = 1000;
const TOO_SHORT = 'it cannot be judged, because no list is long enough';

/** Asks the service, with reads only, whether address, token and settings fit: a short probe that stops at the first problem. */
export async function check({
  config,
  token,
  onProgress,
}: CheckOptions): Promise<readonly Finding[]> {
  const { messagingUrl: url, restTimeoutMs: timeoutMs, maxResponseBytes } = config;
  const target = { url, token, timeoutMs, maxResponseBytes };
  const session = new Session({ target, maxCalls: MAX_CALLS, onProgress });
  try {
    return await run(session, config);
  } catch (error) {
    if (!(error instanceof ProbeError || error instanceof Stopped)) throw error;
    const last = session.responses.at(-1);
    if (last?.status === UNAUTHORIZED) return [explainAnswer(last, url)];
    const words = `the check ended early: ${error.message}`;
    return [problem('service', words, 'Try again later.')];
  } finally {
    await session.close();
  }
}

async function run(session: Session, config: Config): Promise<readonly Finding[]> {
  const pages: FirstPage[] = [];
  for (const list of PROBED_LISTS.toReversed()) {
    const page = await readAsGateway(session, list, pages);
    if (!isFirstPage(page)) return [page];
    pages.push(page);
  }
  const found = [
    ok('service', `it answers at ${session.target.url}`),
    ok('token', `the service accepts it, and shows ${pages.map(count).join(' and ')}`),
    ...pages.flatMap(describeParts),
    checkTimestampUnit(config, pages),
    ...describeShapes(pages),
  ];
  const search = { session, longest: chooseList(pages.toReversed()) };
  found.push(await checkLimit(search, config));
  found.push(await checkPaging(search, config));
  return found;
}

const count = ({ ids, hasMore, list }: FirstPage): string =>
  `${ids.length}${hasMore ? ' or more' : ''} ${ids.length === 1 ? toNoun(list) : list.name}`;

/** The interface lists all. */
const describeParts = ({ list: { name, filters, within } }: FirstPage): Finding[] =>
  filters === undefined || within === undefined
    ? []
    : [
        ok(
          'learned',
          `${name}: the service lists those of one ${toNoun(within.list)}, and not all`,
        ),
      ];

/**
 * Reads the first page as the gateway does, or finds out why that fails: at the first list, at another address too. If the
 * service refuses it, reads a part of it. `before`: the pages of other lists.
 */
async function readAsGateway(
  session: Session,
  list: ProbedList,
  before: readonly FirstPage[],
): Promise<FirstPage | Finding> {
  const first = await readFirst(session, list, FIRST);
  const problem = isFirstPage(first) ? await findUnreadable(first) : first;
  if (problem === null || problem.subject === 'token') return problem ?? first;
  if (before.length === 0 && !isFirstPage(first)) {
    return (await findRightAddress(session, list)) ?? problem;
  }
  const part = await readWithin(session, list, before, FIRST);
  return part !== null && (await findUnreadable(part)) === null ? part : problem;
}

/** Reads a page as the gateway does. Null if that works, even if some items are malformed: they affect only themselves. */
async function findUnreadable({ list, json }: FirstPage): Promise<Finding | null> {
  const call = { method: 'GET', route: list.path.route } as const;
  try {
    const { items } = await list.read(json, call, () => {});
    const values = items.map(({ value }) => value);
    const [first] = values;
    const isAll = values.every((value) => value instanceof RestDecodeError);
    return isAll && first instanceof RestDecodeError ? toProblem(first) : null;
  } catch (error) {
    if (error instanceof RestDecodeError) return toProblem(error);
    throw error;
  }
}

const toProblem = ({ message }: RestDecodeError): Finding =>
  problem(
    'service',
    message,
    'Let the service answer as its interface says, or correct MESSAGING_URL if there is another service at this address.',
  );

/** Open point: timestamp unit. */
function checkTimestampUnit({ timestampUnit }: Config, seen: readonly Seen[]): Finding {
  const { finding, evidence } = findTimestampUnit(seen);
  if (finding === null)
    return ok('learned', `timestamps: their unit is unknown: ${evidence}`);
  if (timestampUnit === null || timestampUnit === finding) {
    return ok('learned', `timestamps: ${finding} (${evidence})`);
  }
  return problem(
    'settings',
    `TIMESTAMP_UNIT=${timestampUnit}, but the service counts ${finding} (${evidence})`,
    `Remove TIMESTAMP_UNIT, or set TIMESTAMP_UNIT=${finding}`,
  );
}

function describeShapes(seen: readonly Seen[]): readonly Finding[] {
  const rows = describeFields(compareFields(seen));
  return rows.length === 0
    ? [ok('learned', 'fields: as in the interface')]
    : rows.map(([words, names]) => ok('learned', `fields ${words}: ${names}`));
}

/** Open point: maximum limit. */
async function checkLimit(
  search: LimitSearch,
  { maxLimit, maxPageSize }: Config,
): Promise<Finding> {
  const limit = Math.min(maxLimit ?? maxPageSize, LONGEST_PAGE);
  const result = await tryLimit(search, limit, `is limit=${limit} accepted?`);
  const shorter = (words: string, fix: string) =>
    maxLimit === null
      ? ok('learned', `pages: ${words}; the gateway notices that by itself`)
      : problem('settings', `MAX_LIMIT=${maxLimit}, but ${words}`, fix);
  switch (result.kind) {
    case 'trouble':
      return ok('learned', `pages: limit=${limit} got no readable answer`);
    case 'refused':
      return shorter(
        `limit=${limit} is refused (${result.status})`,
        'Set MAX_LIMIT to the most items that the service accepts: "messaging-graphql probe" finds it.',
      );
    case 'short':
      return shorter(
        `limit=${limit} returns only ${result.given} items`,
        `Remove MAX_LIMIT, or set MAX_LIMIT=${result.given}`,
      );
    case 'ended': {
      const words = `limit=${limit} is accepted; the list has ${result.given} items`;
      return ok('learned', `pages: ${words}`);
    }
    case 'full':
      return ok('learned', `pages: limit=${limit} returns as many items`);
  }
}

/** Open point: pagination parameter. */
async function checkPaging(
  { session, longest }: LimitSearch,
  { paging, pagingParam }: Config,
): Promise<Finding> {
  if (paging === 'limit') {
    return ok(
      'learned',
      'paging: PAGING=limit works with every service. Without it, the gateway learns a cheaper way, if there is one',
    );
  }
  const isSet = paging !== 'auto';
  const setting = `PAGING=${paging} with the parameter "${pagingParam ?? paging}"`;
  if (longest.ids.length < MIN_ITEMS)
    return ok('learned', `paging: ${isSet ? `${setting}: ` : ''}${TOO_SHORT}`);
  const known = new KnownList(session, longest, null);
  for (const [index, style] of (isSet ? [paging, paging] : STYLES).entries()) {
    // If the list has changed meanwhile, it may look as if the parameter that is set did not work.
    if (isSet && index > 0) await known.refresh();
    const name = (isSet ? pagingParam : null) ?? style;
    const readings = style === 'starting_after' ? BY_ID : COUNTINGS;
    const next = await findNext(known, [{ param: name, readings }], []);
    if (next?.style !== style) continue;
    return ok(
      'learned',
      isSet ? `paging: ${setting} fits` : `paging: the parameter "${name}" works`,
    );
  }
  return isSet
    ? problem(
        'settings',
        `${setting} does not give the next page`,
        'Set PAGING and PAGING_PARAM to what "messaging-graphql probe" finds; or remove both, and the gateway learns how the service pages.',
      )
    : ok(
        'learned',
        'paging: none of the usual parameters works, so lists are read with "limit" alone. "messaging-graphql probe" looks for others',
      );
}
