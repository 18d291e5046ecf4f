import type { Config } from '../config.ts';
import { PROBED_LISTS, type ProbedList } from '../messaging/probed.ts';
import { STYLES } from '../paging/shared-paging.ts';
import { troubleInside } from '../rest/decode.ts';
import { RestDecodeError } from '../rest/errors.ts';
import { DEFAULT_PAGE_SIZE } from '../rest/list.ts';
import { UNAUTHORIZED } from '../rest/status.ts';
import { explain } from './explain.ts';
import { compareFields, describeFields, type SeenItems } from './fields.ts';
import { type Finding, ok, problem } from './found.ts';
import { KnownList } from './known-list.ts';
import {
  chooseList,
  isPage,
  type ListPage,
  readPage,
  readWithin,
  toNoun,
} from './lists.ts';
import { type LimitSearch, tryLimit } from './max-limit.ts';
import { findNext, idParams, MIN_ITEMS, numberParams } from './paging.ts';
import { findRightAddress } from './right-address.ts';
import { ProbeError, type Session, Stopped } from './session.ts';
import { findTimestampUnit } from './times.ts';

const FIRST = { limit: DEFAULT_PAGE_SIZE };
/** The longest page that is asked for, whatever MAX_LIMIT allows. Unit: items. */
const LONGEST_PAGE = 1000;

/** Asks the service, with reads only, whether address, token and settings fit: a short probe that stops at the first problem. */
export async function check(
  session: Session,
  config: Config,
): Promise<readonly Finding[]> {
  try {
    return await run(session, config);
  } catch (error) {
    if (!(error instanceof ProbeError || error instanceof Stopped)) throw error;
    const last = session.responses.at(-1);
    if (last?.status === UNAUTHORIZED) return [explain(last, session.target)];
    return [problem(`the check ended early: ${error.message}`, 'Try again later.')];
  }
}

async function run(session: Session, config: Config): Promise<readonly Finding[]> {
  const pages: ListPage[] = [];
  for (const list of PROBED_LISTS.toReversed()) {
    const page = await readAsGateway(session, list, pages);
    if (!isPage(page)) return [page];
    pages.push(page);
  }
  const shown = pages.map(count).join(' and ');
  const search = { session, longest: chooseList(pages.toReversed()) };
  return [
    ok(`it answers at ${session.target.url}`, 'service'),
    ok(`the service accepts it, and shows ${shown}`, 'token'),
    ...pages.flatMap(describePart),
    checkTimestampUnit(config, pages),
    ...describeShapes(pages),
    await checkLimit(search, config),
    await checkPaging(search, config),
  ];
}

const count = ({ ids, hasMore, list }: ListPage): string =>
  `${ids.length}${hasMore ? ' or more' : ''} ${ids.length === 1 ? toNoun(list) : list.name}`;

/** The interface lists all. */
const describePart = ({ list: { name, within }, filters }: ListPage): Finding[] =>
  within === undefined || filters === undefined
    ? []
    : [ok(`${name}: the service lists those of one ${toNoun(within.list)}, and not all`)];

/**
 * Reads the first page as the gateway does, or finds out why that fails: at the first list, at another address too. If the
 * service refuses it, reads a part of it. `before`: the pages of other lists.
 */
async function readAsGateway(
  session: Session,
  list: ProbedList,
  before: readonly ListPage[],
): Promise<ListPage | Finding> {
  const first = await readPage(session, { list }, FIRST);
  const found = isPage(first) ? await readDecoded(first) : explain(first, session.target);
  if (isPage(found) || found.subject === 'token') return found;
  if (before.length === 0 && !isPage(first)) {
    return (await findRightAddress(session, list, first)) ?? found;
  }
  const part = await readWithin(session, list, before, FIRST);
  const decoded = part === null ? found : await readDecoded(part);
  return isPage(decoded) ? decoded : found;
}

/** Reads a page as the gateway does: malformed items affect only themselves, unless there are no others. */
async function readDecoded(page: ListPage): Promise<ListPage | Finding> {
  const { list, json, route } = page;
  try {
    const { items } = await list.readPage(json, { method: 'GET', route }, () => {});
    const troubles = items.map(({ value }) =>
      value instanceof RestDecodeError ? value : troubleInside(value),
    );
    const [first] = troubles;
    if (first != null && !troubles.includes(null)) throw first;
    return page;
  } catch (error) {
    if (!(error instanceof RestDecodeError)) throw error;
    return problem(
      error.message,
      'Let the service answer as its interface says, or correct MESSAGING_URL if there is another service at this address.',
    );
  }
}

/** Open point: timestamp unit. */
function checkTimestampUnit(
  { timestampUnit }: Config,
  seen: readonly SeenItems[],
): Finding {
  const { finding, evidence } = findTimestampUnit(seen);
  if (finding === null) return ok(`timestamps: their unit is unknown: ${evidence}`);
  if (timestampUnit === null || timestampUnit === finding) {
    return ok(`timestamps: ${finding} (${evidence})`);
  }
  return problem(
    `TIMESTAMP_UNIT=${timestampUnit}, but the service counts ${finding} (${evidence})`,
    `Remove TIMESTAMP_UNIT, or set TIMESTAMP_UNIT=${finding}`,
    'settings',
  );
}

function describeShapes(seen: readonly SeenItems[]): readonly Finding[] {
  const rows = describeFields(compareFields(seen));
  return rows.length === 0
    ? [ok('fields: as in the interface')]
    : rows.map(([words, names]) => ok(`fields ${words}: ${names}`));
}

/** Open point: maximum limit. */
async function checkLimit(
  search: LimitSearch,
  { maxLimit, maxPageSize }: Config,
): Promise<Finding> {
  const limit = Math.min(maxLimit ?? maxPageSize, LONGEST_PAGE);
  const question = `is limit=${limit} accepted?`;
  const { kind, given, status } = await tryLimit(search, limit, question);
  const said = {
    trouble: 'got no readable answer',
    refused: `is refused (${status})`,
    short: `returns only ${given} items`,
    ended: `is accepted; the list has ${given} items`,
    full: 'returns as many items',
  };
  const words = `limit=${limit} ${said[kind]}`;
  if (kind !== 'refused' && kind !== 'short') return ok(`pages: ${words}`);
  if (maxLimit === null) {
    return ok(`pages: ${words}; the gateway notices that by itself`);
  }
  return problem(
    `MAX_LIMIT=${maxLimit}, but ${words}`,
    kind === 'refused'
      ? 'Set MAX_LIMIT to the most items that the service accepts: "messaging-graphql probe" finds it.'
      : `Remove MAX_LIMIT, or set MAX_LIMIT=${given}`,
    'settings',
  );
}

/** Open point: pagination parameter. */
async function checkPaging(
  { session, longest }: LimitSearch,
  { paging, pagingParam }: Config,
): Promise<Finding> {
  if (paging === 'limit') {
    return ok(
      'paging: PAGING=limit works with every service. Without it, the gateway learns a cheaper way, if there is one',
    );
  }
  const isSet = paging !== 'auto';
  const setting = `PAGING=${paging} with the parameter "${pagingParam ?? paging}"`;
  if (longest.ids.length < MIN_ITEMS) {
    return ok(
      `paging: ${isSet ? `${setting}: ` : ''}it cannot be judged, because no list is long enough`,
    );
  }
  const known = new KnownList(session, longest);
  for (const [index, style] of (isSet ? [paging, paging] : STYLES).entries()) {
    // If the list has changed meanwhile, it may look as if the parameter that is set did not work.
    if (isSet && index > 0) await known.refresh();
    const name = (isSet ? pagingParam : null) ?? style;
    const next = await findNext(
      known,
      style === 'starting_after' ? idParams(name) : numberParams(name),
    );
    if (next?.style !== style) continue;
    return ok(
      isSet ? `paging: ${setting} fits` : `paging: the parameter "${name}" works`,
    );
  }
  return isSet
    ? problem(
        `${setting} does not give the next page`,
        'Set PAGING and PAGING_PARAM to what "messaging-graphql probe" finds; or remove both, and the gateway learns how the service pages.',
        'settings',
      )
    : ok(
        'paging: none of the usual parameters works, so lists are read with "limit" alone. "messaging-graphql probe" looks for others',
      );
}
