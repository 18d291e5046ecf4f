import type { Budget } from '../cost/budget.ts';
import type { PageArguments } from '../paging/arguments.ts';
import { type Connection, readConnection } from '../paging/connection.ts';
import type { PageBounds } from '../paging/cost.ts';
import type { PartlyKnown } from '../paging/reader.ts';
import type { PagingStrategy } from '../paging/strategy.ts';
import { nullIfUnknown, type RestDecodeError } from '../rest/errors.ts';
import { createRest, type Rest } from '../rest/index.ts';
import type { Identified, List, Page } from '../rest/list.ts';
import { encodeQuery, type Query, type Send } from '../rest/send.ts';
import type { ToIso } from '../rest/timestamp.ts';
import type { Wants } from '../telemetry/attribution.ts';
import { createLoaders, type Loader, type Loaders } from './loaders.ts';

/** What resolvers see of one operation. */
export interface GatewayContext {
  /** The calls of the interface, made with the caller's token. Reads by id go through `loaders` instead. */
  readonly rest: Rest;
  readonly loaders: Loaders;
  /** A page of a list; its items need not be fetched again by id. Null when the list names an id nobody knows. */
  paginate<T extends Identified>(
    list: List<T>,
    args: PageArguments,
    loader: Loader<T>,
  ): Promise<Connection<T> | null>;
  /** Waits for a write; whatever this operation had read is read anew after it, save the object that came back. */
  written<T extends Identified>(write: Promise<T>, loader: Loader<T>): Promise<T>;
  /** The same for a write that returns nothing. */
  deleted(write: Promise<void>): Promise<void>;
  /** A timestamp as a date-time, where the service's unit is known. */
  readonly toIso: ToIso;
  /** Told by the schema which field is at work; resolvers need not look. */
  readonly wants: Wants;
}

/** What is the same for every operation. */
export interface ContextOptions {
  readonly strategy: PagingStrategy;
  readonly bounds: PageBounds;
  readonly toIso: ToIso;
}

/** The context of one operation of one caller. */
export function createContext(
  send: Send,
  options: ContextOptions,
  { takeExtra, wants }: { takeExtra: Budget['takeExtra']; wants: Wants },
): GatewayContext {
  const rest = createRest(send);
  const loaders = createLoaders(rest, wants);
  const pages: Pages = new Map();
  const forgetReads = () => {
    wants.forget();
    pages.clear();
    for (const loader of Object.values(loaders)) loader.clearAll();
  };

  return {
    rest,
    loaders,
    toIso: options.toIso,
    wants,
    async paginate(list, args, loader) {
      const known = remembering(list, loader, { pages, wants });
      const connection = readConnection(known, args, {
        ...options,
        takeExtra,
      });
      return list.filtersById ? connection.catch(nullIfUnknown) : connection;
    },
    async written(write, loader) {
      const value = await write.finally(forgetReads);
      loader.prime(value.id, value);
      return value;
    },
    deleted: (write) => write.finally(forgetReads),
  };
}

/** The pages one operation has asked for, by list and window. */
type Pages = Map<string, Promise<Page<unknown>>>;

/** The same list; each of its pages is read once, and its items are known by id from then on. */
function remembering<T extends Identified>(
  list: List<T>,
  loader: Loader<T>,
  { pages, wants }: { pages: Pages; wants: Wants },
): PartlyKnown<T> {
  const read = async (window: Query): Promise<Page<T>> => {
    const page = await list.read(window);
    for (const { value } of page.items) {
      if (isValue(value)) loader.prime(value.id, value);
    }
    return page;
  };
  const toKey = (window: Query) => `${list.key} ${encodeQuery(window)}`;
  return {
    ...list,
    isKnown: (window) => pages.has(toKey(window)),
    read(window) {
      const key = toKey(window);
      wants.add(key);
      // A list's key names its endpoint, and so the type of its items.
      const page =
        (pages.get(key) as Promise<Page<T>> | undefined) ??
        wants.read(key, () => read(window));
      pages.set(key, page);
      return page;
    },
  };
}

const isValue = <T>(value: T | RestDecodeError): value is T => !(value instanceof Error);
