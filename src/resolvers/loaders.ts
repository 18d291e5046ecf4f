import DataLoader from 'dataloader';
import { nullIfUnknown } from '../rest/errors.ts';
import type { Rest } from '../rest/index.ts';
import type { Identified } from '../rest/list.ts';
import type { Timestamps } from '../rest/timestamp.ts';
import type { Attribution } from '../telemetry/attribution.ts';

/** Objects by id, each fetched once per operation; null for an unknown id. */
export interface Loader<T> {
  load(id: string): Promise<T | null>;
  /** Adds an object that need not be fetched, unless the loader has one with this id. */
  prime(id: string, value: T): void;
  clearAll(): void;
}

/** The loaders of one operation; a new resource adds one line. */
export function createLoaders(
  rest: Rest,
  { learn }: Timestamps,
  attribution: Attribution | null,
) {
  const shared = { learn, attribution };
  return {
    message: lookup('message', rest.messages.get, shared),
    conversation: lookup('conversation', rest.conversations.get, shared),
  };
}

export type Loaders = ReturnType<typeof createLoaders>;

interface LookupOptions extends Pick<Timestamps, 'learn'> {
  readonly attribution: Attribution | null;
}

/** Fetches n ids with n GETs at once, because no call returns several. A failed one does not affect the others. */
function lookup<T extends Identified & { readonly createdAt?: number }>(
  name: string,
  get: (id: string) => Promise<T>,
  { learn, attribution }: LookupOptions,
): Loader<T> {
  const fetch = async (id: string): Promise<T | null> => {
    const read = attribution ? attribution.read(`${name} ${id}`, () => get(id)) : get(id);
    const value = await read.catch(nullIfUnknown);
    if (value === null) return null;
    learn(value.createdAt);
    // The service may spell the id differently, and links to the object use the service's spelling.
    if (value.id !== id) prime(value.id, value);
    return value;
  };
  /** By id. Its own cache would make a promise for each item of a list, and nobody loads most of them. */
  const known = new Map<string, T | Promise<T | null>>();
  const prime = (id: string, value: T) => {
    learn(value.createdAt);
    if (!known.has(id)) known.set(id, value);
  };
  const loader = new DataLoader<string, T | null>(
    async (ids) => Promise.all(ids.map((id) => fetch(id).catch(toError))),
    { cache: false },
  );
  return {
    load(id) {
      attribution?.note(`${name} ${id}`);
      const found = known.get(id) ?? loader.load(id);
      const promise = found instanceof Promise ? found : Promise.resolve(found);
      known.set(id, promise);
      return promise;
    },
    prime,
    clearAll: () => known.clear(),
  };
}

/** DataLoader expects an Error as the value of a key that failed. */
const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
