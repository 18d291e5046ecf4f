import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { Budget } from '../cost/budget.ts';
import { type Connection, readConnection } from '../paging/connection.ts';
import type { PageOptions, RequestedPage } from '../paging/cost.ts';
import { BadPageError } from '../paging/errors.ts';
import type { PartlyKnown } from '../paging/reader.ts';
import { nullIfUnknown, type RestDecodeError } from '../rest/errors.ts';
import { createRest, type Rest } from '../rest/index.ts';
import type { Identified, List, Page } from '../rest/list.ts';
import { encodeQuery, type Query, type Send } from '../rest/send.ts';
import type { ToIso } from '../rest/timestamp.ts';
import type { Attribution } from '../telemetry/attribution.ts';
import { createLoaders, type Loader, type Loaders } from './loaders.ts';

/** What resolvers see of one operation. */
export interface GatewayContext {
  /** The calls of the interface, made with the caller's token. Reads by id go through `loaders` instead. */
  readonly rest: Rest;
  readonly loaders: Loaders;
  /**
   * Reads the page of a list that a field asks for; the field must have declared the cost of a list. The items need not
   * be fetched again by id. Null if the service does not know an id that the list is filtered by.
   */
  paginate<T extends Identified>(
    list: List<T>,
    info: GraphQLResolveInfo,
    loader: Loader<T>,
  ): Promise<Connection<T> | null>;
  /** Waits for a write. Later reads of this operation are made anew, except of the object that the service returned. */
  afterWrite<T extends Identified>(write: Promise<T>, loader: Loader<T>): Promise<T>;
  /** Waits for a write that returns nothing. Later reads of this operation are made anew. */
  afterDelete(write: Promise<void>): Promise<void>;
  /** A timestamp as a date-time, if the service's unit is known. */
  readonly toIso: ToIso;
  /** Attributes calls to the field that runs; null unless calls are logged. Resolvers do not need it. */
  readonly attribution: Attribution | null;
}

/** What all operations share. */
export interface ContextOptions extends PageOptions {
  readonly toIso: ToIso;
}

/** What one operation brings along. */
export interface OperationParts {
  readonly send: Send;
  readonly budget: Budget;
  /** The page that each list field asks for, as the operation was priced. */
  readonly pages: ReadonlyMap<FieldNode, RequestedPage>;
  readonly attribution: Attribution | null;
}

/** The context of one operation of one caller. */
export function createContext(
  { send, budget: { takeSlack }, pages, attribution }: OperationParts,
  { strategy, bounds, toIso }: ContextOptions,
): GatewayContext {
  const rest = createRest(send);
  const loaders = createLoaders(rest, attribution);
  const pagesRead: PagesRead = new Map();
  const forgetReads = () => {
    attribution?.forget();
    pagesRead.clear();
    for (const loader of Object.values(loaders)) loader.clearAll();
  };

  return {
    rest,
    loaders,
    toIso,
    attribution,
    async paginate(list, { fieldNodes: [field] }, loader) {
      const page = field && pages.get(field);
      if (page === undefined) throw new Error('A list was read that was not priced.');
      if (page instanceof BadPageError) throw page;
      const known = rememberPages(list, loader, { pagesRead, attribution });
      const connection = readConnection(known, page, { strategy, bounds, takeSlack });
      return list.filtersById ? connection.catch(nullIfUnknown) : connection;
    },
    async afterWrite(write, loader) {
      const value = await write.finally(forgetReads);
      loader.prime(value.id, value);
      return value;
    },
    afterDelete: (write) => write.finally(forgetReads),
  };
}

/** The pages that one operation has read, by list and window. */
type PagesRead = Map<string, Promise<Page<unknown>>>;

/** The same list, but each page is read once, and its items are then known by id. */
function rememberPages<T extends Identified>(
  list: List<T>,
  loader: Loader<T>,
  { pagesRead, attribution }: { pagesRead: PagesRead; attribution: Attribution | null },
): PartlyKnown<T> {
  const prime = (page: Page<T>): Page<T> => {
    for (const { value } of page.items) {
      if (isValue(value)) loader.prime(value.id, value);
    }
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

const isValue = <T>(value: T | RestDecodeError): value is T => !(value instanceof Error);
