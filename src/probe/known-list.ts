import { startOf } from '../paging/page-start.ts';
import { type FirstPage, type List, type ListPage, readPage } from './list.ts';
import type { Session } from './session.ts';

/**
 * The beginning of a list, as far as the probe has seen it. Lists change during a probe: items are added at the head,
 * and others are deleted. So the known ids show where a page begins, and the page may have a few unknown ids.
 */
export interface KnownList {
  readonly list: List;
  /** From the head of the list; updated as the list changes. */
  ids: readonly string[];
  /** The longest page that the probe requests, because the service may refuse a longer one. */
  readonly maxLimit: number;
}

/**
 * Where a page lies, compared with one item of the list, its anchor. `first page`: it begins at the head of the list,
 * as if the request had no paging parameter.
 */
type Position = 'after' | 'before' | 'including' | 'first page' | 'empty' | 'elsewhere';

/** What a paging parameter did to a page. */
export type Outcome = Position | 'refused' | 'trouble';

/** The most items that may be added or deleted between two calls. */
const SLACK = 2;
/** Items to read again from the head: enough to recognize any page the probe requests. */
const FRESH_ITEMS = 30;

export const toKnownList = (
  { list, ids }: FirstPage,
  maxLimit: number | null,
): KnownList => ({
  list,
  ids,
  maxLimit: maxLimit ?? Number.POSITIVE_INFINITY,
});

/** Compares a page with the anchor at an index of the known ids. */
export function positionOf(
  ids: readonly string[],
  known: readonly string[],
  anchor: number,
): Position {
  const start = startOf(ids, known);
  if (start === 'empty') return start;
  // After the last known item come unknown ones.
  if (start === 'unknown') return anchor === known.length - 1 ? 'after' : 'elsewhere';
  if (start <= 0) return 'first page';
  const indexes = ids.map((id) => known.indexOf(id)).filter((index) => index !== -1);
  if (indexes.includes(anchor)) return 'including';
  if (!isAscending(indexes)) return 'elsewhere';
  const [first = 0] = indexes;
  if (first > anchor && first <= anchor + 1 + SLACK) return 'after';
  const last = indexes.at(-1) ?? 0;
  return last < anchor && last >= anchor - 1 - SLACK ? 'before' : 'elsewhere';
}

const isAscending = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));

interface ParameterTrial {
  readonly name: string;
  readonly value: string | number;
  readonly limit: number;
  readonly purpose?: string | undefined;
}

/** Reads a page with one more query parameter, and adds new items at the head to the known ids. */
export async function readWith(
  session: Session,
  known: KnownList,
  {
    name,
    value,
    limit,
    purpose = `does "${name}" lead to another page?`,
  }: ParameterTrial,
): Promise<ListPage | 'refused' | 'trouble'> {
  const query = { limit: Math.min(limit, known.maxLimit), [name]: value };
  const result = await readPage(session, known.list, { purpose, query });
  if (result.kind !== 'page') return result.kind;
  const { ids } = result.page;
  const start = startOf(ids, known.ids);
  if (typeof start === 'number' && start < 0) {
    known.ids = [...ids.slice(0, -start), ...known.ids];
  }
  return result.page;
}

/** Reads the beginning of the list again. */
export async function refresh(session: Session, known: KnownList): Promise<void> {
  const limit = Math.min(FRESH_ITEMS, known.ids.length, known.maxLimit);
  const purpose = 'the beginning of the list again';
  const result = await readPage(session, known.list, { purpose, query: { limit } });
  if (result.kind === 'page' && result.page.ids.length > 0) known.ids = result.page.ids;
}
