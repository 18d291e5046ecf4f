import type { HttpParams } from '../operation/request.ts';
import { isObject } from '../rest/decode.ts';

/** Takes the GraphQL parameters from a request, in the form that Apollo expects. */
export function toParams(method: string, url: string, body: unknown): HttpParams {
  const queryStart = url.indexOf('?');
  return {
    method: method.toUpperCase(),
    search: queryStart === -1 ? '' : withoutEmpty(url.slice(queryStart)),
    body: nameDocument(body),
  };
}

/** Removes empty parameters: they count as not given. Source: GraphQL over HTTP, "GET". */
const withoutEmpty = (search: string): string =>
  search.replace(/(?<=[?&])(?:operationName|variables|extensions)=(?:&|$)/g, '');

/**
 * Rewrites a body that names its document as Relay does (`id`), or as drafts of GraphQL over HTTP do (`documentId`), into
 * the form by which Apollo looks documents up. Returns any other body unchanged.
 */
function nameDocument(body: unknown): unknown {
  // Null counts as not given. Source: GraphQL over HTTP, "Request Parameters".
  if (!isObject(body) || body.query != null) return body;
  // Not with the rest of its fields: to copy a hundred thousand takes a tenth of a second.
  const { documentId, id, operationName = null, variables = null, extensions } = body;
  const name = id ?? documentId;
  const given = extensions ?? {};
  if (typeof name !== 'string' || !isObject(given)) return body;
  const persistedQuery = { version: 1, sha256Hash: name.replace(/^sha256:/, '') };
  return { operationName, variables, extensions: { persistedQuery, ...given } };
}
