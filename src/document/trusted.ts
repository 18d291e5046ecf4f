import type { GraphQLError } from 'graphql';
import { refusal } from './refusal.ts';

/** The documents that may run, by every name that a client may use: their SHA-256, and their id in the manifest. */
export type Manifest = ReadonlyMap<string, string>;

/** Apollo looks up a persisted query under its name with this prefix. */
const APQ_PREFIX = 'apq:';

/** Allows only the documents of the manifest, whether a client sends a name or the whole text. */
export const trustOnly = (manifest: Manifest, name: string): GraphQLError | null =>
  manifest.has(name)
    ? null
    : refusal(
        'DOCUMENT_NOT_TRUSTED',
        'This gateway runs only the documents in its manifest, and this document is not one of them.',
      );

/** The manifest as Apollo's cache of persisted queries: clients cannot add to it. */
export const persistedQueriesOf = (manifest: Manifest) => ({
  cache: {
    get: async (key: string) => manifest.get(key.slice(APQ_PREFIX.length)),
    async set() {},
    async delete() {},
  },
});
