import type { ApolloServerPlugin, GraphQLRequest } from '@apollo/server';
import { type DocumentNode, type GraphQLError, Kind } from 'graphql';
import type { OperationContext } from '../operation/context.ts';
import { dedupeSelections } from './dedupe.ts';

/** Says why a document may not run, or null. `name` is its SHA-256, or the id it was asked for by. */
export type Judge = (document: DocumentNode, name: string) => GraphQLError | null;

/**
 * Refuses documents before they are validated, and spares the validation of the others what it need not do: validation takes work, and stack, that a document can drive up. Apollo
 * lets a plugin refuse only after it, so an empty document goes through in the place of a refused one. Apollo keeps that
 * one for the same text, which is therefore judged once.
 */
export function judgeDocuments(
  judges: readonly Judge[],
): ApolloServerPlugin<OperationContext> {
  const refusals = new WeakMap<DocumentNode, GraphQLError>();

  function refuse(error: GraphQLError): DocumentNode {
    const empty: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };
    refusals.set(empty, error);
    return empty;
  }

  return {
    async requestDidStart({ request }) {
      takeHashAsText(request);
      return {
        async parsingDidStart() {
          return async (failure) => {
            // graphql's parser recurses, and ends so on what is nested by the thousand.
            if (failure instanceof RangeError) {
              failure.message = 'The document is nested too deep to be read.';
            }
          };
        },
        async validationDidStart(context: { document: DocumentNode; queryHash: string }) {
          for (const judge of judges) {
            const error = judge(context.document, context.queryHash);
            if (error === null) continue;
            context.document = refuse(error);
            return;
          }
          context.document = dedupeSelections(context.document);
        },
        async didResolveOperation({ document }) {
          const error = refusals.get(document);
          if (error !== undefined) throw error;
        },
      };
    },
  };
}

/** Apollo believes that a persisted query's hash is text, and fails on JSON that cannot be made one. */
function takeHashAsText(request: GraphQLRequest): void {
  const persistedQuery: unknown = request.extensions?.persistedQuery;
  if (typeof persistedQuery !== 'object' || persistedQuery === null) return;
  if ('sha256Hash' in persistedQuery && typeof persistedQuery.sha256Hash === 'string')
    return;
  request.extensions = {
    ...request.extensions,
    persistedQuery: { ...persistedQuery, sha256Hash: '' },
  };
}
