import type { WireObject } from '../rest/decode.ts';
import { type Path, path } from '../rest/path.ts';
import type { Query } from '../rest/send.ts';
import { type Asker, isSuccess, type Note } from './asker.ts';

/** A list of the service, with its filters. */
export interface ListAddress {
  readonly path: Path;
  readonly filters: Query;
}

export const MESSAGES: ListAddress = { path: path`/messages`, filters: {} };
export const CONVERSATIONS: ListAddress = { path: path`/conversations`, filters: {} };

export const messagesOf = (conversationId: string): ListAddress => ({
  path: MESSAGES.path,
  filters: { conversation_id: conversationId },
});

/** One page of a list. Source: Endpoints, "Lists". */
export interface ListPage {
  readonly items: readonly WireObject[];
  /** In the order of the items; an item whose id cannot be used has the empty text. */
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

/** A list and the longest page of it that begins at its head. */
export interface Head extends ListPage {
  readonly list: ListAddress;
}

/** What asking for a page brought: the page, a refusal, or nothing that can be read. */
export type HeadReading =
  | { readonly kind: 'page'; readonly page: ListPage }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'trouble' };

export async function readList(
  asker: Asker,
  list: ListAddress,
  { purpose, query }: { purpose: string; query: Query },
): Promise<HeadReading> {
  const note = await asker.ask({
    purpose,
    path: list.path,
    query: { ...list.filters, ...query },
  });
  const page = note === null ? null : toPage(note);
  if (page !== null) return { kind: 'page', page };
  if (note !== null && isRefusal(note.status)) {
    return { kind: 'refused', status: note.status };
  }
  return { kind: 'trouble' };
}

/** 408 and 425 are about the moment, not about what was asked for. */
const isRefusal = (status: number): boolean =>
  status >= 400 && status <= 499 && status !== 408 && status !== 425;

/** The page that an answer holds; null if it holds none. */
export function toPage(note: Note): ListPage | null {
  if (!isSuccess(note) || !isObject(note.json)) return null;
  const { data, has_more } = note.json;
  if (!Array.isArray(data)) return null;
  const items: readonly WireObject[] = data.map((item) => (isObject(item) ? item : {}));
  return { items, ids: items.map(toId), hasMore: has_more === true };
}

const toId = ({ id }: WireObject): string =>
  typeof id === 'string' && id.isWellFormed() ? id : '';

export const isObject = (value: unknown): value is WireObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
