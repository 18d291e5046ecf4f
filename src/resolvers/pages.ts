import type { PartlyKnown } from '../paging/reader.ts';
import type { Identified, List, Page } from '../rest/list.ts';
import { encodeQuery, type Query } from '../rest/send.ts';
import type { Attribution } from '../telemetry/attribution.ts';
import type { Loader } from './loaders.ts';

/** The pages that one operation has read, by list and window. */
export type PagesRead = Map<string, Promise<Page<unknown>>>;

/** The same list, but each page is read once, and its items are then known by id. */
export function rememberPages<T extends Identified>(
  list: List<T>,
  loader: Loader<T>,
  { pagesRead, attribution }: { pagesRead: PagesRead; attribution: Attribution | null },
): PartlyKnown<T> {
  const prime = (page: Page<T>): Page<T> => {
    loader.primeAll(page.items);
    return page;
  };
  const toKey = (window: Query) => `${list.key} ${encodeQuery(window)}`;
  return {
    ...list,
    isKnown: (window) => pagesRead.has(toKey(window)),
    read(window, isAgain = false) {
      const key = toKey(window);
      attribution?.note(key);
      // The key names the endpoint, and so the type of the items.
      const known = pagesRead.get(key) as Promise<Page<T>> | undefined;
      if (known !== undefined && !isAgain) return known;
      const read = attribution
        ? attribution.read(key, () => list.read(window))
        : list.read(window);
      const page = read.then(prime);
      pagesRead.set(key, page);
      return page;
    },
  };
}
