import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpParams, OperationRequest } from '../operation/request.ts';
import { Cancellation, IS_OVER } from '../rest/abort.ts';
import { isObject } from '../rest/decode.ts';
import type { Clock, OperationTime } from '../rest/time-limit.ts';
import { toBearerToken, toSecret } from './credentials.ts';
import { type ClientAccepts, toAccepts } from './media-type.ts';

/** An operation that has arrived over HTTP. It is over when its response is sent, or its client has left. */
export interface Arrival {
  readonly operation: OperationRequest;
  readonly accepts: ClientAccepts;
  /** Its time. An open stream has none. */
  readonly clock: Clock;
}

export interface ArrivalOptions {
  /** The request id. */
  readonly id: string;
  /** As JSON; undefined for a GET. */
  readonly body: unknown;
  readonly operationTime: OperationTime;
  /** Its response is sent, or its client has left. */
  readonly closed: () => void;
}

/** Makes an operation of a request whose body was read, and starts its time. */
export function arrive(
  { method = '', url = '', headers, socket }: IncomingMessage,
  response: ServerResponse,
  { id, body, operationTime, closed }: ArrivalOptions,
): Arrival {
  const signal = new Cancellation();
  const clock = operationTime(signal);
  response.on('close', () => {
    clock.stop();
    signal.abort(IS_OVER);
    closed();
  });
  const token = toBearerToken(headers.authorization);
  const accepts = toAccepts(headers.accept);
  const operation: OperationRequest = {
    id,
    token,
    secret: token ?? toSecret(headers.authorization),
    address: socket.remoteAddress,
    headers,
    accepts,
    params: toParams(method, url, body),
    signal,
    deadline: clock.expires,
  };
  return { operation, accepts, clock };
}

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
