import type { ProbedList } from '../messaging/probed.ts';
import { isObject, type WireObject } from '../rest/decode.ts';
import type { Query } from '../rest/path.ts';
import { isSuccess } from '../rest/status.ts';
import type { Reply, Session } from './session.ts';

/** One page of a list. Source: Endpoints, "Lists". */
export interface ListPage {
  readonly list: ProbedList;
  /** Of the part that was read; undefined: the whole list. */
  readonly filters: Query | undefined;
  readonly route: string;
  readonly items: readonly WireObject[];
  /** In the order of the items; an empty text for an item without a usable id. */
  readonly ids: readonly string[];
  readonly hasMore: boolean;
  /** The whole response. */
  readonly json: WireObject;
}

/** Reads a page of a list; returns what came instead if it is none. */
export async function readPage(
  session: Pick<Session, 'read'>,
  { list, filters }: Pick<ListPage, 'list'> & Partial<ListPage>,
  query: Query = {},
  purpose = `the first ${list.name}`,
): Promise<ListPage | Reply> {
  const request = { purpose, path: list.path, query: { ...filters, ...query } };
  const answer = await session.read(request);
  const page = toPage(answer);
  return page === null ? answer : { ...page, list, filters };
}

/** The page in an answer; null if there is none. */
export function toPage({ status, json, route }: Reply) {
  if (!isSuccess(status) || !isObject(json)) return null;
  const { data, has_more } = json;
  if (!Array.isArray(data)) return null;
  const items: readonly WireObject[] = data.map((item) => (isObject(item) ? item : {}));
  return { route, items, ids: items.map(toId), hasMore: has_more === true, json };
}

const toId = ({ id }: WireObject): string =>
  typeof id === 'string' && id.isWellFormed() ? id : '';

export const isPage = (found: object): found is ListPage => 'list' in found;

/** How the words of a report name one item of the list. */
export const toNoun = ({ typeName }: ProbedList): string => typeName.toLowerCase();

/** Some services list items only below an object, such as the messages of a conversation. The probe tries this many objects. */
const MAX_PARENTS = 4;

/**
 * One object's items, for a service that lists no others: the first page with more behind it, else the longest. Null if none
 * can be read. `pages`: of the lists that can be read.
 */
export async function readWithin(
  session: Session,
  list: ProbedList,
  pages: readonly ListPage[],
  query: Query = {},
): Promise<ListPage | null> {
  const { within } = list;
  const parents = pages.find((page) => page.list === within?.list);
  if (within === undefined || parents === undefined) return null;
  const purpose = `the ${list.name} of a ${toNoun(within.list)}`;
  let longest: ListPage | null = null;
  for (const id of parents.ids.filter((one) => one !== '').slice(0, MAX_PARENTS)) {
    const part = { list, filters: { [within.filter]: id } };
    const page = await readPage(session, part, query, purpose);
    if (!isPage(page)) continue;
    if (page.hasMore) return page;
    if (page.ids.length >= (longest?.ids.length ?? 0)) longest = page;
  }
  return longest;
}

/** The best list to examine, of at least one: the first one with more pages, or else the longest. */
export const chooseList = (pages: readonly ListPage[]): ListPage =>
  pages.reduce((best, page) => {
    const isBetter = page.hasMore || page.ids.length > best.ids.length;
    return !best.hasMore && isBetter ? page : best;
  });
