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
import { isRefusedRequest } from '../rest/status.ts';
import { isPage, type ListPage, readPage } from './lists.ts';
import type { Session } from './session.ts';

/** The page that an unknown id in the parameter gets, or the status of the refusal. */
export type UnknownCursor = number | 'empty' | 'first' | 'elsewhere';

/** From this length on, the ways of counting predict pages further apart than a list shifts between two calls. */
export const LONG_LIST = 18;

/** Items to read again from the head: enough to recognize any page that is asked for. */
const FRESH_ITEMS = 30;
/** The most items that may be added or deleted between two calls. */
const TOLERANCE = 2;

interface KnownListOptions {
  readonly maxLimit: number | null | undefined;
  /** Whether a number may count pages of another size than was asked for. The gateway cannot page by such numbers. Default: true. */
  readonly isAnySize?: boolean;
}

/**
 * The beginning of a list, as far as it has been seen. Lists change meanwhile: items are added at the head, and others are
 * deleted. So the known ids show where a page begins, and the page may have a few unknown ids.
 */
export class KnownList {
  /** From the head of the list; updated as the list changes. */
  ids: readonly string[];
  readonly #session: Session;
  readonly #first: ListPage;
  /** The longest page to ask for, because the service may refuse a longer one. */
  readonly #maxLimit: number;
  readonly #isAnySize: boolean;

  constructor(
    session: Session,
    first: ListPage,
    { maxLimit, isAnySize = true }: KnownListOptions,
  ) {
    this.#session = session;
    this.#first = first;
    this.ids = first.ids;
    this.#maxLimit = maxLimit ?? Number.POSITIVE_INFINITY;
    this.#isAnySize = isAnySize;
  }

  get route(): string {
    return this.#first.route;
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
    const head = { known, tolerance, isAnySize: this.#isAnySize };
    const limit = Math.min(question.limit, this.#maxLimit);
    let ids: readonly string[] = [];
    const read = async (query: Query) => {
      const page = await this.#read(query, purpose);
      if (typeof page === 'object') ids = page.ids;
      return page;
    };
    const found = await tryParameter(read, head, { ...question, limit });
    const start = startOf(ids, known);
    if (typeof start === 'number' && start < 0) {
      this.ids = [...ids.slice(0, -start), ...known];
    } else if (start === 'unknown' && found[0] === 'after') {
      this.ids = [...known, ...ids];
    }
    return found;
  }

  /** How the service answers an unknown id; null if there is no readable response. */
  async tryUnknownId(param: string): Promise<UnknownCursor | null> {
    const limit = Math.min(2, this.#maxLimit);
    const read = (query: Query) => this.#read(query, `"${param}" with an unknown id`);
    const head = { known: this.ids, tolerance: TOLERANCE, isAnySize: true };
    const result = await tryUnknownId(read, head, { param, limit });
    if (result === 'trouble') return null;
    if (result === 'refused') return this.#session.responses.at(-1)?.status ?? null;
    if (result === 'first page') return 'first';
    return result === 'empty' ? result : 'elsewhere';
  }

  async #read(query: Query, purpose: string): Promise<TrialPage | NoPage> {
    const page = await readPage(this.#session, this.#first, query, purpose);
    if (isPage(page)) return page;
    return isRefusedRequest(page.status) ? 'refused' : 'trouble';
  }
}
