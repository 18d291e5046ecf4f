import type { ProbedList } from '../messaging/probed.ts';
import { isObject, type WireObject } from '../rest/decode.ts';
import type { Query } from '../rest/path.ts';
import { isRefusedRequest, isSuccess } from '../rest/status.ts';
import { explainAnswer, explainNoAnswer, type Finding } from './explain.ts';
import type { JsonResponse, Session } from './session.ts';

/** A list of the service, with its filters. */
export interface List extends ProbedList {
  readonly filters?: Query;
}

/** One page of a list. Source: Endpoints, "Lists". */
export interface ListPage {
  readonly items: readonly WireObject[];
  /** In the order of the items; an empty text for an item without a usable id. */
  readonly ids: readonly string[];
  readonly hasMore: boolean;
  /** The whole response. */
  readonly json: WireObject;
}

/** A list and its longest first page seen so far. */
export interface FirstPage extends ListPage {
  readonly list: List;
}

/** Reads a page, or returns the status of its refusal; null: no response, or one that is neither. */
export async function readPage(
  session: Session,
  list: List,
  { purpose, query }: { purpose: string; query: Query },
): Promise<ListPage | number | null> {
  const request = { purpose, path: list.path, query: { ...list.filters, ...query } };
  const response = await session.read(request);
  const page = response && toPage(response);
  if (response === null || page !== null) return page;
  return isRefusedRequest(response.status) ? response.status : null;
}

/** The page in a response; null if there is none. */
export function toPage({ status, json }: JsonResponse): ListPage | null {
  if (!isSuccess(status) || !isObject(json)) return null;
  const { data, has_more } = json;
  if (!Array.isArray(data)) return null;
  const items: readonly WireObject[] = data.map((item) => (isObject(item) ? item : {}));
  return { items, ids: items.map(toId), hasMore: has_more === true, json };
}

const toId = ({ id }: WireObject): string =>
  typeof id === 'string' && id.isWellFormed() ? id : '';

/** How the words of a report name one item of the list. */
export const toNoun = ({ typeName }: ProbedList): string => typeName.toLowerCase();

/** Reads the first page of a list, or says why there is none. */
export async function readFirst(
  session: Session,
  list: List,
  query: Query = {},
  purpose = `the first ${list.name}`,
): Promise<FirstPage | Finding> {
  const request = { purpose, path: list.path, query: { ...list.filters, ...query } };
  const response = await session.read(request);
  const page = response && toPage(response);
  if (page !== null) return { ...page, list };
  const { url, timeoutMs } = session.target;
  return response === null
    ? explainNoAnswer(session.lastError, timeoutMs)
    : explainAnswer(response, url);
}

export const isFirstPage = (found: FirstPage | Finding): found is FirstPage =>
  'list' in found;

/** Some services list items only below an object, such as the messages of a conversation. The probe tries this many objects. */
const MAX_PARENTS = 4;

/**
 * The items of one object, where the service lists no others: the first page that is not the last, or else the longest. Null
 * if none can be read. `pages`: of the lists that can be read.
 */
export async function readWithin(
  session: Session,
  list: ProbedList,
  pages: readonly FirstPage[],
  query: Query = {},
): Promise<FirstPage | null> {
  const { within } = list;
  const parents = pages.find((page) => page.list === within?.list);
  if (within === undefined || parents === undefined) return null;
  const purpose = `the ${list.name} of a ${toNoun(within.list)}`;
  let longest: FirstPage | null = null;
  for (const id of parents.ids.filter((one) => one !== '').slice(0, MAX_PARENTS)) {
    const part = { ...list, filters: { [within.filter]: id } };
    const first = await readFirst(session, part, query, purpose);
    if (!isFirstPage(first)) continue;
    if (first.hasMore) return first;
    if (first.ids.length >= (longest?.ids.length ?? 0)) longest = first;
  }
  return longest;
}

/** The best list to examine, of at least one: the first one with more pages, or else the longest. */
export const chooseList = (pages: readonly FirstPage[]): FirstPage =>
  pages.reduce((best, page) => {
    const isBetter = page.hasMore || page.ids.length > best.ids.length;
    return !best.hasMore && isBetter ? page : best;
  });
