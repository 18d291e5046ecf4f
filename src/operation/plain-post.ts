import { isObject } from '../rest/decode.ts';
import type { HttpParams } from './request.ts';

/** An operation, as a client names it. */
export interface NamedOperation {
  /** The text of the document, or the hash that the client sent instead. */
  readonly document: string;
  /** Null: the only operation of the document. */
  readonly operationName: string | null;
}

/** A POST that names its operation by its text or by its hash, and whose other parameters have the right types. */
export interface PlainPost extends NamedOperation {
  /** The text of the document; null if the client sent a hash instead. */
  readonly query: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly extensions: Readonly<Record<string, unknown>>;
}

const NONE = Object.freeze({});

/** Reads the body of a POST; null for any other request, which Apollo answers. */
export function toPlainPost({ method, body }: HttpParams): PlainPost | null {
  if (method !== 'POST' || !isObject(body)) return null;
  const { query, operationName = null, variables, extensions } = body;
  const isPlain =
    (query === undefined || typeof query === 'string') &&
    (operationName === null || typeof operationName === 'string') &&
    isObjectOrMissing(variables) &&
    isObjectOrMissing(extensions);
  if (!isPlain) return null;
  const document = toDocument(query, extensions);
  if (document === null) return null;
  return {
    document,
    query: query ?? null,
    operationName,
    variables: variables ?? NONE,
    extensions: extensions ?? NONE,
  };
}

const isObjectOrMissing = (
  value: unknown,
): value is Readonly<Record<string, unknown>> | null | undefined =>
  value == null || isObject(value);

/** The text; or, for a persisted operation, its hash. Null if neither is given, or both are: then Apollo compares them. */
export function toDocument(
  query: string | undefined,
  extensions: Readonly<Record<string, unknown>> | null | undefined,
): string | null {
  const persisted = extensions?.persistedQuery;
  if (persisted == null) return query || null;
  if (query !== undefined || !isObject(persisted) || persisted.version !== 1) return null;
  // No GraphQL document begins with this word, so a hash is never taken for a text.
  return typeof persisted.sha256Hash === 'string'
    ? `persisted ${persisted.sha256Hash}`
    : null;
}
