import type { PartlyKnown } from '../paging/reader.ts';
import type { Identified, List, Page } from '../rest/list.ts';
import { encodeQuery, type Query } from '../rest/path.ts';
import type { Attribution } from '../telemetry/attribution.ts';
import type { Loader } from './loaders.ts';

/** The pages that one operation has read, by list and window. */
export type PagesRead = Map<string, Promise<Page<unknown>>>;

interface RememberedListOptions<T extends Identified> {
  readonly loader: Loader<T>;
  readonly pagesRead: PagesRead;
  readonly attribution: Attribution | null;
}

/** A list, but each page is read once, and its items are then known by id. */
export class RememberedList<T extends Identified> implements PartlyKnown<T> {
  readonly key: string;
  readonly caller: List<T>['caller'];
  readonly times: List<T>['times'];
  readonly #list: List<T>;
  readonly #options: RememberedListOptions<T>;

  constructor(list: List<T>, options: RememberedListOptions<T>) {
    this.key = list.key;
    this.caller = list.caller;
    this.times = list.times;
    this.#list = list;
    this.#options = options;
  }

  isKnown(window: Query): boolean {
    return this.#options.pagesRead.has(this.#toKey(window));
  }

  read(window: Query, isAgain = false): Promise<Page<T>> {
    const { pagesRead, attribution } = this.#options;
    const key = this.#toKey(window);
    attribution?.note(key);
    // The key names the endpoint, and so the type of the items.
    const known = pagesRead.get(key) as Promise<Page<T>> | undefined;
    if (known !== undefined && !isAgain) return known;
    const read = attribution
      ? attribution.read(key, () => this.#list.read(window))
      : this.#list.read(window);
    const page = read.then((answer) => {
      this.#options.loader.primeAll(answer.items);
      return answer;
    });
    pagesRead.set(key, page);
    return page;
  }

  #toKey(window: Query): string {
    return `${this.key} ${encodeQuery(window)}`;
  }
}
