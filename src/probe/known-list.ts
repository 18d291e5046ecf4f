import type { NoPage } from '../paging/reader.ts';
import {
  type Mismatch,
  type Question,
  type Reading,
  startOf,
  type TrialPage,
  takesId,
  tryParameter,
  tryUnknownId,
} from '../paging/trial.ts';
import type { Query } from '../rest/path.ts';
import { type FirstPage, readPage } from './lists.ts';
import type { Session } from './session.ts';

/** A parameter to try, and what it may lead to. */
export type Candidate = Pick<Question, 'param' | 'readings'>;

/** One value for the parameter, an item's index or a number, and the number of items to request. */
export type Sample = Pick<Question, 'at' | 'limit'>;

/** What a parameter did: a reading that explains every page, or why none does. */
export type Outcome = Reading | Mismatch | NoPage;

/** The page that an unknown id in the parameter gets, or the status of the refusal. */
export type UnknownCursor = number | 'empty' | 'first' | 'elsewhere';

/** What a parameter that takes an item's id may lead to. */
export const BY_ID: readonly Reading[] = ['after', 'before'];

/** From this length on, the ways of counting predict pages further apart than a list shifts between two calls. */
export const LONG_LIST = 18;

/** Items to read again from the head: enough to recognize any page that is asked for. */
const FRESH_ITEMS = 30;
/** The most items that may be added or deleted between two calls. */
const TOLERANCE = 2;

/**
 * The beginning of a list, as far as it has been seen. Lists change meanwhile: items are added at the head, and others are
 * deleted. So the known ids show where a page begins, and the page may have a few unknown ids.
 */
export class KnownList {
  readonly first: FirstPage;
  /** From the head of the list; updated as the list changes. */
  ids: readonly string[];
  readonly #session: Session;
  /** The longest page to ask for, because the service may refuse a longer one. */
  readonly #maxLimit: number;

  constructor(session: Session, first: FirstPage, maxLimit: number | null) {
    this.#session = session;
    this.first = first;
    this.ids = first.ids;
    this.#maxLimit = maxLimit ?? Number.POSITIVE_INFINITY;
  }

  /** Reads the beginning of the list again. */
  async refresh(): Promise<void> {
    const limit = Math.min(FRESH_ITEMS, this.ids.length, this.#maxLimit);
    const page = await this.#read({ limit }, 'the beginning of the list again');
    if (typeof page === 'object' && page.ids.length > 0) this.ids = page.ids;
  }

  /** The readings that explain the answer to one value; or why none does. */
  async try(
    question: Question,
    purpose = `does "${question.param}" lead to another page?`,
  ): Promise<readonly Reading[] | Mismatch | NoPage> {
    const known = this.ids;
    const isLong = known.length >= LONG_LIST;
    const tolerance = question.readings.some(takesId) ? TOLERANCE : isLong ? 1 : 0;
    const head = { known, tolerance, isAnySize: true };
    const limit = Math.min(question.limit, this.#maxLimit);
    let ids: readonly string[] = [];
    const found = await tryParameter(
      async (query) => {
        const page = await this.#read(query, purpose);
        if (typeof page === 'object') ids = page.ids;
        return page;
      },
      head,
      { ...question, limit },
    );
    const start = startOf(ids, known);
    if (typeof start === 'number' && start < 0) {
      this.ids = [...ids.slice(0, -start), ...known];
    } else if (start === 'unknown' && found[0] === 'after') {
      this.ids = [...known, ...ids];
    }
    return found;
  }

  /** How the service answers an unknown id; null if there is no readable response. */
  async tryUnknownId(name: string): Promise<UnknownCursor | null> {
    const limit = Math.min(2, this.#maxLimit);
    const read = (query: Query) => this.#read(query, `"${name}" with an unknown id`);
    const head = { known: this.ids, tolerance: TOLERANCE, isAnySize: true };
    const result = await tryUnknownId(read, head, { param: name, limit });
    switch (result) {
      case 'refused':
        return this.#session.responses.at(-1)?.status ?? null;
      case 'first page':
        return 'first';
      case 'empty':
        return 'empty';
      default:
        return result === 'trouble' ? null : 'elsewhere';
    }
  }

  async #read(query: Query, purpose: string): Promise<TrialPage | NoPage> {
    const page = await readPage(this.#session, this.first.list, { purpose, query });
    if (typeof page === 'number') return 'refused';
    return page ?? 'trouble';
  }
}
