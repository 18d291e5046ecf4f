import {
  COUNTINGS,
  fits,
  type Mismatch,
  mismatchOf,
  type Reading,
  startOf,
} from '../paging/trial.ts';
import { createUnknownId } from '../paging/unknown-id.ts';
import { type FirstPage, type List, type ListPage, readPage } from './list.ts';
import type { UnknownCursor } from './report.ts';
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

/** What a paging parameter did: a reading that explains every page, or why none does. */
export type Outcome = Reading | Mismatch | 'refused' | 'trouble';

/** A name to try, and the kind of its value. */
export interface Candidate {
  readonly name: string;
  readonly takes: 'id' | 'number';
}

/** One value for the parameter, and the number of items to request. */
interface Sample {
  /** The index of the item whose id is sent, or the number that is sent. */
  readonly at: number;
  readonly limit: number;
}

/** Items to read again from the head: enough to recognize any page the probe requests. */
const FRESH_ITEMS = 30;
/** With fewer items, no item has known items on both sides that are not on the first page. */
const MIN_ITEMS = 4;
/** From this index on, the page before the item in front of an item is not the first page. */
const ROOM_FOR_TWO = 4;
/** From this length on, the ways of counting predict pages further apart than a list shifts between two calls. */
const LONG = 18;
const BY_ID: readonly Reading[] = ['after', 'before'];
/** The most items that may be added or deleted between two calls. */
const TOLERANCE = 2;

/** Numbers for which each way of counting predicts another page; the first one changes the page under all of them. */
const NUMBERS: readonly { minItems: number; samples: readonly Sample[] }[] = [
  { minItems: LONG, samples: [at(5, 3), at(3, 5)] },
  { minItems: 7, samples: [at(3, 2), at(2, 3)] },
  { minItems: 0, samples: [at(2, 1), at(1, 2), at(3, 2)] },
];

function at(value: number, limit: number): Sample {
  return { at: value, limit };
}

export const toKnownList = (
  { list, ids }: FirstPage,
  maxLimit: number | null,
): KnownList => ({
  list,
  ids,
  maxLimit: maxLimit ?? Number.POSITIVE_INFINITY,
});

/** Reads the beginning of the list again. */
export async function refresh(session: Session, known: KnownList): Promise<void> {
  const limit = Math.min(FRESH_ITEMS, known.ids.length, known.maxLimit);
  const purpose = 'the beginning of the list again';
  const result = await readPage(session, known.list, { purpose, query: { limit } });
  if (result.kind === 'page' && result.page.ids.length > 0) known.ids = result.page.ids;
}

/** Tries values of a parameter until one reading is left, at least two of them if the list has room. */
export async function tryName(
  session: Session,
  known: KnownList,
  candidate: Candidate,
  possible: readonly Reading[] = candidate.takes === 'id' ? BY_ID : COUNTINGS,
): Promise<Outcome> {
  const { takes } = candidate;
  const isTiny = known.ids.length < MIN_ITEMS;
  let readings = possible;
  for (const [index, sample] of samplesFor(known, takes, possible).entries()) {
    if (index > 1 && readings.length === 1) break;
    // The page before the second item would be the first page.
    if (index === 1 && possible[0] === 'before' && sample.at < ROOM_FOR_TWO - 1) break;
    // The list may have changed. In a tiny list, the first response has added known items instead.
    if (index === 1 && !(isTiny && takes === 'id')) await refresh(session, known);
    const found = await trySample(session, known, { ...candidate, sample, readings });
    if (!Array.isArray(found)) return found;
    readings = found;
    // A name that pages back is not what is looked for; if no other one is found, it is reported.
    if (readings[0] !== possible[0] && takes === 'id') break;
  }
  return readings[0] ?? 'elsewhere';
}

/** Whether one page is explained by a reading; null if there was no readable response. */
export async function readsAs(
  session: Session,
  known: KnownList,
  { name, purpose, reading }: { name: string; purpose: string; reading: Reading },
): Promise<boolean | null> {
  const takes = reading === 'after' ? 'id' : 'number';
  const [sample = at(0, 1)] = samplesFor(known, takes, [reading]);
  const trial = { name, purpose, takes, sample, readings: [reading] } as const;
  const found = await trySample(session, known, trial);
  return found === 'trouble' ? null : Array.isArray(found);
}

/** The first of the names that returns the page before an item; null if none does. */
export async function findBackParameter(
  session: Session,
  known: KnownList,
  names: readonly string[],
): Promise<string | null> {
  if (known.ids.length < MIN_ITEMS - 1) return null;
  for (const name of names) {
    const outcome = await tryName(session, known, { name, takes: 'id' }, ['before']);
    if (outcome === 'before') return name;
  }
  return null;
}

/** How the service answers an unknown id in the parameter; null if there was no readable response. */
export async function findUnknownCursor(
  session: Session,
  known: KnownList,
  name: string,
): Promise<UnknownCursor | null> {
  const { ids } = known;
  const purpose = `"${name}" with an unknown id`;
  const value = createUnknownId(ids);
  const page = await readWith(session, known, { name, value, limit: 2, purpose });
  if (page === 'refused') return session.responses.at(-1)?.status ?? null;
  if (page === 'trouble') return null;
  const start = startOf(page.ids, ids);
  if (start === 'empty') return 'empty';
  return typeof start === 'number' && start <= 0 ? 'first' : 'elsewhere';
}

function samplesFor(
  { ids: { length } }: KnownList,
  takes: Candidate['takes'],
  readings: readonly Reading[],
): readonly Sample[] {
  if (takes === 'number')
    return NUMBERS.find(({ minItems }) => length >= minItems)?.samples ?? [];
  // Known items come after the first of these, and before the second, except in a list of one.
  const last = length - (length >= MIN_ITEMS ? 2 : 1);
  const index = Math.min(readings.includes('after') && length < MIN_ITEMS ? 1 : 5, last);
  const first = at(index, index >= ROOM_FOR_TWO ? 2 : 1);
  return [first, at(index === 0 ? 1 : index - 1, 2)];
}

interface SampleTrial extends Candidate {
  readonly sample: Sample;
  readonly readings: readonly Reading[];
  readonly purpose?: string | undefined;
}

/** The readings that explain the answer to one value; or why none does. */
async function trySample(
  session: Session,
  list: KnownList,
  { name, takes, sample, readings, purpose }: SampleTrial,
): Promise<Reading[] | Exclude<Outcome, Reading>> {
  const known = list.ids;
  const { at, limit } = sample;
  const value = takes === 'id' ? (known[at] ?? '') : at;
  if (value === '') return 'trouble';
  const page = await readWith(session, list, { name, value, limit, purpose });
  if (typeof page === 'string') return page;
  const { ids, hasMore } = page;
  const trial = {
    ids,
    known,
    at,
    // The service may use a page size of its own.
    size: hasMore ? ids.length : Math.min(limit, list.maxLimit),
    tolerance: takes === 'id' ? TOLERANCE : known.length >= LONG ? 1 : 0,
  };
  const found = readings.filter((reading) => fits(reading, trial));
  if (found.length === 0) return mismatchOf(trial, takes === 'id');
  if (found[0] === 'after' && startOf(ids, known) === 'unknown')
    list.ids = [...known, ...ids];
  return found;
}

interface PageQuery {
  readonly name: string;
  readonly value: string | number;
  readonly limit: number;
  readonly purpose?: string | undefined;
}

/** Reads a page with one more query parameter, and adds new items at the head to the known ids. */
async function readWith(
  session: Session,
  known: KnownList,
  { name, value, limit, purpose = `does "${name}" lead to another page?` }: PageQuery,
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
