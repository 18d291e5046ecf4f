import { type GraphQLRequest, HeaderMap } from '@apollo/server';
import { getOperationAST } from 'graphql';
import { refuseByLines } from '../document/limits.ts';
import type { Prepared, Refusals } from '../document/prepare.ts';
import { isObject } from '../rest/decode.ts';
import type { OperationRequest } from './request.ts';

/**
 * The error to refuse the text of a document with before it is parsed; null if it may pass. Apollo lets no plugin refuse a
 * request so early: it gets an empty text instead, and refuses that itself.
 */
export function takeAwayLongText(request: GraphQLRequest): Refusals | null {
  const refusal = request.query === undefined ? null : refuseByLines(request.query);
  if (refusal === null) return null;
  request.query = '';
  return [refusal];
}

/** Apollo allows a GET only for queries, but a client may also get the stream of a subscription: it changes nothing. */
export function letStreamBeGot(
  request: GraphQLRequest,
  { document }: Prepared,
  { stream }: OperationRequest,
): void {
  if (stream === undefined || request.http === undefined) return;
  if (getOperationAST(document, request.operationName)?.operation === 'subscription')
    request.http = { ...request.http, method: 'POST' };
}

/** Copies the text of a GET, because V8 would keep the whole address as long as the text. */
export function takeTextAlone(request: GraphQLRequest): void {
  if (request.http?.method === 'GET' && request.query !== undefined)
    request.query = Buffer.from(request.query).toString();
}

/** Replaces the hash of a persisted query if it is not a string, because Apollo fails on some other values. */
export function takeHashAsText(request: GraphQLRequest): void {
  const persistedQuery: unknown = request.extensions?.persistedQuery;
  if (!isObject(persistedQuery) || typeof persistedQuery.sha256Hash === 'string') return;
  request.extensions = {
    ...request.extensions,
    persistedQuery: { ...persistedQuery, sha256Hash: '' },
  };
}

/** The request in the form that Apollo takes. */
export function toApolloRequest({ headers, params, stream, accepts }: OperationRequest) {
  const map = new HeaderMap();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined)
      map.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  // Apollo does not know the transports of several results, and whatever has one result is JSON.
  if (stream !== undefined && accepts.type !== null)
    map.set('accept', accepts.type.replace(/;.*$/, ''));
  return { ...params, headers: map };
}
