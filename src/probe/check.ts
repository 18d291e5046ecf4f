import type { Config } from '../config.ts';
import { PROBED_LISTS, type ProbedList } from '../messaging/probed.ts';
import { SPAN } from '../paging/learn.ts';
import { STYLES } from '../paging/shared-paging.ts';
import { troubleInside } from '../rest/decode.ts';
import { RestDecodeError, RestNetworkError } from '../rest/errors.ts';
import { DEFAULT_PAGE_SIZE } from '../rest/list.ts';
import { explain } from './explain.ts';
import { compareFields, describeFields, type SeenItems } from './fields.ts';
import { type Finding, notJudged, ok, problem } from './found.ts';
import { KnownList } from './known-list.ts';
import {
  chooseList,
  isPage,
  type ListPage,
  readPage,
  readWithin,
  toNoun,
} from './lists.ts';
import { findMaxLimit, type LimitSearch, tryLimit } from './max-limit.ts';
import { findNext, idParams, MIN_ITEMS, numberParams } from './paging.ts';
import { findRightAddress } from './right-address.ts';
import { type Reply, type Session, Stopped } from './session.ts';
import { findTimestampUnit } from './times.ts';

/** The longest page that is asked for, whatever MAX_LIMIT allows. Unit: items. */
const LONGEST_PAGE = 1000;

/** Asks the service, with reads only, whether address, token and settings fit. After a fault, it checks what else it can. */
export async function check(
  session: Session,
  config: Config,
): Promise<readonly Finding[]> {
  const findings = new Map<string, Finding>();
  const add = (finding: Finding) => findings.set(finding.words, finding);
  try {
    for await (const finding of run(session, config)) add(finding);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    add(problem(`the check ended early: ${error.message}`, 'Try again later.'));
  }
  return [...findings.values()];
}

/** Yields a finding twice if it is true of both lists. */
async function* run(session: Session, config: Config): AsyncGenerator<Finding> {
  const pages: ListPage[] = [];
  for (const list of PROBED_LISTS.toReversed()) {
    if (yield* readAsGateway(session, list, pages, config)) return;
  }
  if (pages.length === 0) return;
  const shown = pages.map(count).join(' and ');
  yield ok(`the service accepts it, and shows ${shown}`, 'token');
  yield* pages.flatMap(describePart);
  yield checkTimestampUnit(config, pages);
  yield* describeShapes(pages);
  const searches = pages.toReversed().map((longest) => ({ session, longest }));
  for (const search of searches) yield await checkLimit(search, config);
  const best = chooseList(searches.map(({ longest }) => longest));
  for (const search of searches)
    if (search.longest.hasMore || search.longest === best)
      yield await checkPaging(search, config);
}

const count = ({ ids, hasMore, list }: ListPage): string =>
  `${ids.length}${hasMore ? ' or more' : ''} ${ids.length === 1 ? toNoun(list) : list.name}`;

/** Says if the service lists only the items of one object, where the interface lists all. */
const describePart = ({ list: { name, within }, filters }: ListPage): Finding[] =>
  within === undefined || filters === undefined
    ? []
    : [ok(`${name}: the service lists those of one ${toNoun(within.list)}, and not all`)];

/**
 * Reads the first page as the gateway does, or finds out why that fails, at other addresses too while no list was read. If the
 * service refuses it, reads a part of it. Adds the page to `pages`; returns whether no call can reach the service.
 */
async function* readAsGateway(
  session: Session,
  list: ProbedList,
  pages: ListPage[],
  { maxLimit }: Config,
): AsyncGenerator<Finding, boolean> {
  const query = { limit: Math.min(DEFAULT_PAGE_SIZE, maxLimit ?? DEFAULT_PAGE_SIZE) };
  // Another list may accept a token that this one refuses.
  const lenient = { read: session.ask.bind(session) };
  let page: ListPage | Reply | null = await readPage(lenient, { list }, query);
  if (!isPage(page)) {
    const fault = explain(page, session.target);
    const noneRead = pages.length === 0;
    const right = noneRead ? await findRightAddress(session, list, page) : null;
    const isLost =
      page.error instanceof RestNetworkError &&
      !(page.error.kind === 'timeout' && page.error.mayHaveLeft);
    const isEnd = right !== null || (noneRead && isLost);
    page =
      fault.subject === 'token' ? null : await readWithin(session, list, pages, query);
    if (page === null) {
      yield right ?? fault;
      return isEnd;
    }
  }
  pages.push(page);
  yield ok(`it answers at ${session.target.url}`, 'service');
  yield* await findFaults(page);
  return false;
}

/** Reads a page as the gateway does: a malformed item affects only itself, so the service fits unless there are no others. */
async function findFaults({ list, json, route }: ListPage): Promise<readonly Finding[]> {
  const faults = new Set<string>();
  let unreadable = 0;
  try {
    const { items } = await list.readPage(json, { method: 'GET', route }, () => {});
    for (const { value } of items) {
      const trouble = value instanceof RestDecodeError ? value : troubleInside(value);
      if (trouble === null) continue;
      faults.add(trouble.message);
      unreadable += 1;
    }
    if (unreadable > 0 && unreadable < items.length) {
      const [first] = faults;
      const some = `${unreadable} of ${items.length} cannot be read whole`;
      return [notJudged(`${list.name}: ${some}: ${first}`)];
    }
  } catch (error) {
    if (!(error instanceof RestDecodeError)) throw error;
    faults.add(error.message);
  }
  const change =
    'Let the service answer as its interface says, or correct MESSAGING_URL if there is another service at this address.';
  return Array.from(faults, (fault) => problem(fault, change));
}

/** Open point: timestamp unit. */
function checkTimestampUnit(
  { timestampUnit }: Config,
  seen: readonly SeenItems[],
): Finding {
  const { finding, evidence } = findTimestampUnit(seen);
  if (finding === null) return notJudged(`timestamps: unknown unit: ${evidence}`);
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
  const found = `pages of ${search.longest.list.name}: ${words}`;
  if (kind === 'trouble') return notJudged(found);
  if (kind !== 'refused' && kind !== 'short') return ok(found);
  if (maxLimit === null) return ok(`${found}; then the gateway asks for less`);
  return problem(
    `MAX_LIMIT=${maxLimit}, but ${words}`,
    kind === 'refused'
      ? 'Set MAX_LIMIT to the most items that the service accepts: "messaging-graphql probe" finds it.'
      : `Remove MAX_LIMIT, or set MAX_LIMIT=${given}`,
    'settings',
  );
}

/** Open point: pagination parameter. */
async function checkPaging(search: LimitSearch, config: Config): Promise<Finding> {
  const { session, longest } = search;
  const { paging, pagingParam } = config;
  if (paging === 'limit') return checkReach(search, config);
  const isSet = paging !== 'auto';
  const setting = `PAGING=${paging} with the parameter "${pagingParam ?? paging}"`;
  const subject = `paging of ${longest.list.name}: ${isSet ? `${setting} ` : ''}`;
  const isShort = longest.ids.length < (isSet ? MIN_ITEMS : SPAN);
  // With PAGING=page, the gateway needs a page that holds a known item and the next one. Among short pages, there may be none.
  const isTiny = longest.hasMore && longest.ids.length < DEFAULT_PAGE_SIZE;
  const named = isSet ? [paging, paging] : isShort ? [] : STYLES;
  const styles = named.filter((style) => style !== 'page' || !isTiny);
  if (isShort && (isSet ? styles.length > 0 : !longest.hasMore)) {
    return notJudged(`${subject}cannot be judged, because no page is long enough`);
  }
  const { maxLimit } = config;
  const known = new KnownList(session, longest, { maxLimit, isAnySize: false });
  for (const [index, style] of styles.entries()) {
    // If the list has changed meanwhile, it may look as if the parameter that is set did not work.
    if (isSet && index > 0) await known.refresh();
    const name = (isSet ? pagingParam : null) ?? style;
    const next = await findNext(
      known,
      style === 'starting_after' ? idParams(name) : numberParams(name),
    );
    if (next?.style !== style) continue;
    return ok(isSet ? `${subject}fits` : `${subject}the parameter "${name}" works`);
  }
  return isSet
    ? problem(
        `${setting} does not give the next page of ${longest.list.name}`,
        'Set PAGING and PAGING_PARAM to what "messaging-graphql probe" finds; or remove both, and the gateway learns how the service pages. PAGING=page needs pages of ten items or more.',
        'settings',
      )
    : checkReach(search, config);
}

/** Without a parameter for the next page, a list can be read as far as its longest page reaches. */
async function checkReach(search: LimitSearch, config: Config): Promise<Finding> {
  const { paging, maxLimit } = config;
  // The gateway asks for no longer page than one of MAX_LIMIT items.
  const isSearched = search.longest.hasMore && search.longest.ids.length !== maxLimit;
  const found = isSearched ? await findMaxLimit(search) : null;
  const { ids, hasMore, list } = search.longest;
  const why = paging === 'limit' ? 'PAGING=limit' : 'no usual parameter is known to work';
  const words = `paging of ${list.name} with "limit" alone, because ${why}:`;
  // If the maximum is only likely, the service may have left items out of its pages.
  if (found === null ? hasMore : found.confidence !== 'likely') {
    const first = hasMore ? ids.length : 'ten of a page that needs more';
    return problem(
      `${words} all after the first ${first} are out of reach (${found?.evidence ?? `MAX_LIMIT=${maxLimit}`})`,
      hasMore
        ? `Set PAGING and PAGING_PARAM to what leads to the next page: "messaging-graphql probe" looks for it, or ask the people who run the service.${maxLimit === null ? '' : ' Or raise MAX_LIMIT, if the service returns more at once.'}`
        : `Set MAX_LIMIT=${found?.finding?.max}`,
    );
  }
  const seen = `${hasMore ? 'the first' : 'all'} ${ids.length}`;
  return notJudged(`${words} ${seen} can be read; no answer shows whether more can`);
}
