import DataLoader from 'dataloader';
import { nullIfUnknown } from './rest/errors.ts';
import type { Rest } from './rest/index.ts';

/** Objects by id, each fetched once per operation; null for an unknown id. */
export type Loader<T> = DataLoader<string, T | null>;

/** What one operation has read by id; a new resource is one line here. */
export const createLoaders = (rest: Rest) => ({
  message: lookup(rest.messages.get),
  conversation: lookup(rest.conversations.get),
});

export type Loaders = ReturnType<typeof createLoaders>;

/** No call fetches many, so n ids are n GETs, all at once; one that fails leaves the others alone. */
function lookup<T>(get: (id: string) => Promise<T>): Loader<T> {
  return new DataLoader(async (ids) =>
    Promise.all(ids.map((id) => get(id).catch(nullIfUnknown).catch(toError))),
  );
}

/** DataLoader takes an Error in the place of a value for "this key failed". */
const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
