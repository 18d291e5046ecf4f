import DataLoader from 'dataloader';
import { nullIfUnknown } from '../rest/errors.ts';
import type { Rest } from '../rest/index.ts';
import type { Identified, Item } from '../rest/list.ts';
import type { Attribution } from '../telemetry/attribution.ts';

/** Objects by id, each fetched once per operation; null for an unknown id. */
export interface Loader<T> {
  load(id: string): Promise<T | null>;
  /** Adds an object that need not be fetched, unless the loader has one with its id. */
  prime(value: T): void;
  /** Adds objects that need not be fetched, as `prime` does. The list must not change. */
  primeAll(list: readonly Item<T>[]): void;
  clearAll(): void;
}

/** The loaders of one operation; a new resource adds one line. */
export function createLoaders(rest: Rest, attribution: Attribution | null) {
  return {
    message: new Lookup('message', rest.messages, attribution),
    conversation: new Lookup('conversation', rest.conversations, attribution),
  };
}

export type Loaders = ReturnType<typeof createLoaders>;

/** The calls of one type. */
interface Calls<T> {
  get(id: string): Promise<T>;
}

/** Fetches n ids with n GETs at once, because no call returns several. A failed one does not affect the others. */
class Lookup<T extends Identified> implements Loader<T> {
  readonly #name: string;
  readonly #calls: Calls<T>;
  readonly #attribution: Attribution | null;
  /** By id. DataLoader's own cache would make a promise for each item of a list, and nobody loads most of them. */
  readonly #known = new Map<string, T | Promise<T | null>>();
  /** Lists whose objects are not in `known` yet: most operations load nothing by id after they have read a list. */
  #unread: (readonly Item<T>[])[] = [];
  #loader: DataLoader<string, T | null> | null = null;

  constructor(name: string, calls: Calls<T>, attribution: Attribution | null) {
    this.#name = name;
    this.#calls = calls;
    this.#attribution = attribution;
  }

  load(id: string): Promise<T | null> {
    this.#attribution?.note(`${this.#name} ${id}`);
    this.#readAll();
    const found = this.#known.get(id);
    if (found instanceof Promise) return found;
    const promise =
      found === undefined ? this.#fetchWithOthers(id) : Promise.resolve(found);
    this.#known.set(id, promise);
    return promise;
  }

  prime(value: T): void {
    this.#readAll();
    if (!this.#known.has(value.id)) this.#known.set(value.id, value);
  }

  primeAll(list: readonly Item<T>[]): void {
    this.#unread.push(list);
  }

  clearAll(): void {
    this.#known.clear();
    this.#unread = [];
  }

  #readAll(): void {
    if (this.#unread.length === 0) return;
    for (const list of this.#unread) {
      for (const { value } of list) {
        const isMalformed = value instanceof Error;
        if (!isMalformed && !this.#known.has(value.id)) this.#known.set(value.id, value);
      }
    }
    this.#unread = [];
  }

  #fetchWithOthers(id: string): Promise<T | null> {
    this.#loader ??= new DataLoader(
      // Each object is there when its own call has ended: DataLoader resolves its promises with these.
      async (ids) => ids.map((one) => this.#fetch(one)) as unknown as (T | null)[],
      // By default a batch also waits for a tick of Node. Ids that come later are a batch of their own, at no cost: each id
      // is a GET of its own.
      { cache: false, batchScheduleFn: queueMicrotask },
    );
    return this.#loader.load(id);
  }

  async #fetch(id: string): Promise<T | null> {
    try {
      const value = await (this.#attribution
        ? this.#attribution.read(`${this.#name} ${id}`, () => this.#calls.get(id))
        : this.#calls.get(id));
      // The service may spell the id differently, and links to the object use the service's spelling.
      if (value.id !== id) this.prime(value);
      return value;
    } catch (error) {
      return nullIfUnknown(error);
    }
  }
}
