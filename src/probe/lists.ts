import { readConversations } from '../messaging/conversation.ts';
import { readMessages } from '../messaging/message.ts';
import { isObject, type WireObject } from '../rest/decode.ts';
import { type Path, path, type Query } from '../rest/path.ts';
import { isRefusedRequest, isSuccess } from '../rest/status.ts';
import { explainAnswer, explainNoAnswer, type Finding } from './explain.ts';
import type { JsonResponse, Session } from './session.ts';

/** A list of the service, with its filters. */
export interface List {
  readonly noun: string;
  readonly path: Path;
  readonly filters: Query;
  /** Reads a page as the gateway does. */
  readonly decode: typeof readMessages | typeof readConversations;
}

export const MESSAGES: List = {
  noun: 'message',
  path: path`/messages`,
  filters: {},
  decode: readMessages,
};

export const CONVERSATIONS: List = {
  noun: 'conversation',
  path: path`/conversations`,
  filters: {},
  decode: readConversations,
};

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

/** Null: that list cannot be read. */
export interface FirstPages {
  readonly messages: FirstPage | null;
  readonly conversations: FirstPage | null;
}

type PageResult =
  | { readonly kind: 'page'; readonly page: ListPage }
  | { readonly kind: 'refused'; readonly status: number }
  /** No response, or one that is neither a page nor a refusal. */
  | { readonly kind: 'trouble' };

export async function readPage(
  session: Session,
  list: List,
  { purpose, query }: { purpose: string; query: Query },
): Promise<PageResult> {
  const request = { purpose, path: list.path, query: { ...list.filters, ...query } };
  const response = await session.read(request);
  if (response === null) return { kind: 'trouble' };
  const page = toPage(response);
  if (page !== null) return { kind: 'page', page };
  const { status } = response;
  return isRefusedRequest(status) ? { kind: 'refused', status } : { kind: 'trouble' };
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

/** Reads the first page of a list, or says why there is none. */
export async function readFirst(
  session: Session,
  list: List,
  query: Query = {},
  purpose = `the first ${list.noun}s`,
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

/** Some services list the messages of one conversation only; at most this many conversations are tried. */
const MAX_CONVERSATIONS = 4;

/** The messages of one conversation: the first that has more than a page, or else the longest. Null if none can be read. */
export async function readOneConversation(
  session: Session,
  { ids }: FirstPage,
  query: Query = {},
): Promise<FirstPage | null> {
  let longest: FirstPage | null = null;
  const purpose = 'the messages of a conversation';
  for (const id of ids.filter((one) => one !== '').slice(0, MAX_CONVERSATIONS)) {
    const list = { ...MESSAGES, filters: { conversation_id: id } };
    const first = await readFirst(session, list, query, purpose);
    if (!isFirstPage(first)) continue;
    if (first.hasMore) return first;
    if (first.ids.length >= (longest?.ids.length ?? 0)) longest = first;
  }
  return longest;
}

/** The best list to examine: one with more pages, preferably messages; otherwise the longer list. */
export function chooseList<N extends FirstPage | null>(messages: N, conversations: N): N {
  if (messages === null) return conversations;
  if (conversations === null) return messages;
  if (messages.hasMore) return messages;
  if (conversations.hasMore) return conversations;
  return conversations.ids.length > messages.ids.length ? conversations : messages;
}
