import { isObject, type WireObject } from '../rest/decode.ts';
import { type Path, path, type Query } from '../rest/path.ts';
import { isRefusedRequest, isSuccess } from '../rest/status.ts';
import { ProbeError } from './errors.ts';
import { explainAnswer, explainNoAnswer } from './explain.ts';
import { type JsonResponse, read, type Session } from './session.ts';

/** A list of the service, with its filters. */
export interface List {
  readonly path: Path;
  readonly filters: Query;
}

export const MESSAGES: List = { path: path`/messages`, filters: {} };
export const CONVERSATIONS: List = { path: path`/conversations`, filters: {} };

/** One page of a list. Source: Endpoints, "Lists". */
export interface ListPage {
  readonly items: readonly WireObject[];
  /** In the order of the items; an empty text for an item without a usable id. */
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

/** A list and its longest first page seen so far. */
export interface FirstPage extends ListPage {
  readonly list: List;
}

/** Null: the probe could not read that list. */
export interface FirstPages {
  readonly messages: FirstPage | null;
  readonly conversations: FirstPage | null;
}

type PageResult =
  | { readonly kind: 'page'; readonly page: ListPage }
  | { readonly kind: 'refused'; readonly status: number }
  /** No response, or one that is neither a page nor a refusal. */
  | { readonly kind: 'trouble' };

/** Some services list the messages of one conversation only; then the probe reads at most this many conversations. */
const MAX_CONVERSATIONS = 4;

export async function readPage(
  session: Session,
  list: List,
  { purpose, query }: { purpose: string; query: Query },
): Promise<PageResult> {
  const request = { purpose, path: list.path, query: { ...list.filters, ...query } };
  const response = await read(session, request);
  if (response === null) return { kind: 'trouble' };
  const page = toPage(response);
  if (page !== null) return { kind: 'page', page };
  const { status } = response;
  return isRefusedRequest(status) ? { kind: 'refused', status } : { kind: 'trouble' };
}

/** The page in a response; null if there is none. */
export function toPage(response: JsonResponse): ListPage | null {
  if (!isSuccess(response.status) || !isObject(response.json)) return null;
  const { data, has_more } = response.json;
  if (!Array.isArray(data)) return null;
  const items: readonly WireObject[] = data.map((item) => (isObject(item) ? item : {}));
  return { items, ids: items.map(toId), hasMore: has_more === true };
}

const toId = ({ id }: WireObject): string =>
  typeof id === 'string' && id.isWellFormed() ? id : '';

/** Reads the first page of both lists; throws ProbeError if this is not the messaging interface. */
export async function readFirstPages(session: Session): Promise<FirstPages> {
  const all = await readFirstPage(session, MESSAGES, 'the first messages');
  const conversations = await readFirstPage(
    session,
    CONVERSATIONS,
    'the first conversations',
  );
  const messages = all ?? (await readLongestConversation(session, conversations));
  if (messages === null && conversations === null) throw notTheInterface(session);
  return { messages, conversations };
}

/** The best list to probe: one with more pages, preferably messages; otherwise the longer list. */
export function chooseList({ messages, conversations }: FirstPages): FirstPage | null {
  if (messages === null || conversations === null) return messages ?? conversations;
  if (messages.hasMore) return messages;
  if (conversations.hasMore) return conversations;
  return conversations.ids.length > messages.ids.length ? conversations : messages;
}

async function readFirstPage(
  session: Session,
  list: List,
  purpose: string,
): Promise<FirstPage | null> {
  const result = await readPage(session, list, { purpose, query: {} });
  return result.kind === 'page' ? { ...result.page, list } : null;
}

async function readLongestConversation(
  session: Session,
  conversations: FirstPage | null,
): Promise<FirstPage | null> {
  let longest: FirstPage | null = null;
  const ids = conversations?.ids.filter((id) => id !== '') ?? [];
  for (const id of ids.slice(0, MAX_CONVERSATIONS)) {
    const list = { ...MESSAGES, filters: { conversation_id: id } };
    const first = await readFirstPage(session, list, 'the messages of a conversation');
    if (first?.hasMore) return first;
    if (first && first.ids.length >= (longest?.ids.length ?? 0)) longest = first;
  }
  return longest;
}

function notTheInterface({ responses, lastError, target }: Session): ProbeError {
  const last = responses.at(-1);
  const { subject, words } =
    last === undefined
      ? explainNoAnswer(lastError, target.timeoutMs)
      : explainAnswer(last, target.url);
  return new ProbeError(
    `The ${subject} does not fit: ${words}. "messaging-graphql check" says what to change.`,
  );
}
