import DataLoader from 'dataloader';
import { nullIfUnknown } from '../rest/errors.ts';
import type { Identified, Item } from '../rest/list.ts';
import type { Send } from '../rest/send.ts';
import type { Attribution } from '../telemetry/attribution.ts';

/** A type whose objects can be read by id: it implements Node. */
export interface NodeType<T extends Identified = Identified> {
  /** Its name in the schema. */
  readonly typeName: string;
  get(send: Send, id: string): Promise<T>;
}

/** The loaders of one operation, each made when it is first needed. */
export class Loaders {
  readonly #send: Send;
  readonly #attribution: Attribution | null;
  readonly #known = new Map<NodeType, Loader<Identified>>();

  constructor(send: Send, attribution: Attribution | null) {
    this.#send = send;
    this.#attribution = attribution;
  }

  of<T extends Identified>(type: NodeType<T>): Loader<T> {
    const loader =
      this.#known.get(type) ?? new Loader(type, this.#send, this.#attribution);
    this.#known.set(type, loader);
    return loader as unknown as Loader<T>;
  }

  /** Later reads begin with new loaders. Those that have begun end in the old ones: they may bring objects as they were before. */
  forget(): void {
    this.#known.clear();
  }
}

/**
 * Objects by id, each fetched once per operation; null for an unknown id. Fetches n ids with n GETs at once, because no call
 * returns several. A failed one does not affect the others.
 */
export class Loader<T extends Identified> {
  readonly #type: NodeType<T>;
  readonly #send: Send;
  readonly #attribution: Attribution | null;
  /** By id. DataLoader's own cache would make a promise for each item of a list, and nobody loads most of them. */
  readonly #known = new Map<string, T | Promise<T | null>>();
  /** Lists whose objects are not in `known` yet: most operations load nothing by id after they have read a list. */
  #unread: (readonly Item<T>[])[] = [];
  #added = 0;
  #loader: DataLoader<string, T | null> | null = null;

  constructor(type: NodeType<T>, send: Send, attribution: Attribution | null) {
    this.#type = type;
    this.#send = send;
    this.#attribution = attribution;
  }

  load(id: string): Promise<T | null> {
    this.#attribution?.note(`${this.#type.typeName} ${id}`);
    this.#readAll();
    const found = this.#known.get(id);
    if (found instanceof Promise) return found;
    if (found !== undefined) return Promise.resolve(found);
    const promise = this.#fetchWithOthers(id);
    this.#known.set(id, promise);
    return promise;
  }

  /** How many objects and lists it was given or has fetched; it changes with `all`. */
  get count(): number {
    return this.#added;
  }

  /** The objects that it was given or has fetched. */
  *all(): Generator<T> {
    this.#readAll();
    for (const value of this.#known.values())
      if (!(value instanceof Promise)) yield value;
  }

  /** Adds an object that need not be fetched, unless the loader has one with its id. */
  prime(value: T): void {
    this.#added += 1;
    this.#readAll();
    if (!this.#known.has(value.id)) this.#known.set(value.id, value);
  }

  /** Adds objects that need not be fetched, as `prime` does. The list must not change. */
  primeAll(list: readonly Item<T>[]): void {
    this.#added += 1;
    this.#unread.push(list);
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
      // If the service offered a call for several ids, this function alone would change. DataLoader adopts these promises, so
      // each object is ready when its own call ends.
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
        ? this.#attribution.read(`${this.#type.typeName} ${id}`, () => this.#get(id))
        : this.#get(id));
      this.#known.set(id, value);
      this.#added += 1;
      // The service may spell the id differently, and links to the object use the service's spelling.
      if (value.id !== id) this.prime(value);
      return value;
    } catch (error) {
      return nullIfUnknown(error);
    }
  }

  #get(id: string): Promise<T> {
    return this.#type.get(this.#send, id);
  }
}
