import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { Judge } from './prepare.ts';

/** The documents that may run, by every name they may be asked for. */
type Documents = ReadonlyMap<string, string>;

type PersistedQueries = Exclude<
  ApolloServerOptions<BaseContext>['persistedQueries'],
  false | undefined
>;

/** Apollo looks persisted queries up under names that begin so. */
const APQ_PREFIX = 'apq:';

/** Lets the listed documents alone run, whether they are named or sent whole. */
export const trustOnly =
  (documents: Documents): Judge =>
  (_document, name) =>
    documents.has(name)
      ? null
      : new GraphQLError(
          'This gateway runs the documents it trusts alone, and this is none of them.',
          { extensions: { code: 'DOCUMENT_NOT_TRUSTED', http: { status: 400 } } },
        );

/** Persisted queries that are the trusted documents; clients add none. */
export const persistTrusted = (documents: Documents): PersistedQueries => ({
  cache: {
    get: async (key) => documents.get(key.slice(APQ_PREFIX.length)),
    async set() {},
    async delete() {},
  },
});

/**
 * The body of a request that names its document as Relay does (`id`), or the drafts of GraphQL over HTTP (`documentId`),
 * the way Apollo looks documents up; any other body as it is.
 */
export function nameDocument(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { query, documentId, id, extensions, ...rest } = body;
  const name = id ?? documentId;
  // Null is the same as not given. Source: GraphQL over HTTP, "Request Parameters".
  const given = extensions ?? {};
  if (query != null || typeof name !== 'string' || !isObject(given)) return body;
  const persistedQuery = { version: 1, sha256Hash: name.replace(/^sha256:/, '') };
  return { ...rest, extensions: { persistedQuery, ...given } };
}

const isObject = (json: unknown): json is Record<string, unknown> =>
  typeof json === 'object' && json !== null && !Array.isArray(json);
