import DataLoader from 'dataloader';
import { nullIfUnknown } from '../rest/errors.ts';
import type { Rest } from '../rest/index.ts';
import type { Identified } from '../rest/list.ts';
import type { Wants } from '../telemetry/attribution.ts';

/** Objects by id, each fetched once per operation; null for an unknown id. */
export interface Loader<T> {
  load(id: string): Promise<T | null>;
  /** Makes known what need not be fetched; what was known before stays. */
  prime(id: string, value: T): void;
  clearAll(): void;
}

/** What one operation has read by id; a new resource is one line here. */
export const createLoaders = (rest: Rest, wants: Wants) => ({
  message: lookup('message', rest.messages.get, wants),
  conversation: lookup('conversation', rest.conversations.get, wants),
});

export type Loaders = ReturnType<typeof createLoaders>;

/** No call fetches many, so n ids are n GETs, all at once; one that fails leaves the others alone. */
function lookup<T extends Identified>(
  name: string,
  get: (id: string) => Promise<T>,
  wants: Wants,
): Loader<T> {
  const read = async (id: string): Promise<T | null> => {
    const value = await wants.read(`${name} ${id}`, () => get(id)).catch(nullIfUnknown);
    // The service may spell an id otherwise than it was asked for; links to the object have its own spelling.
    if (value !== null && value.id !== id) loader.prime(value.id, value);
    return value;
  };
  const loader = new DataLoader<string, T | null>(async (ids) =>
    Promise.all(ids.map((id) => read(id).catch(toError))),
  );
  return {
    load(id) {
      wants.add(`${name} ${id}`);
      return loader.load(id);
    },
    prime: (id, value) => loader.prime(id, value),
    clearAll: () => loader.clearAll(),
  };
}

/** DataLoader takes an Error in the place of a value for "this key failed". */
const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
