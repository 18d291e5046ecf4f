import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OperationRequest } from '../operation/request.ts';
import { Cancellation, IS_OVER } from '../rest/abort.ts';
import type { Clock, OperationTime } from '../rest/time-limit.ts';
import { toBearerToken, toSecret } from './credentials.ts';
import { toParams } from './graphql-request.ts';
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
}

/** Makes an operation of a request whose body was read, and starts its time. */
export function arrive(
  { method = '', url = '', headers, socket }: IncomingMessage,
  response: ServerResponse,
  { id, body, operationTime }: ArrivalOptions,
): Arrival {
  const signal = new Cancellation();
  const clock = operationTime(signal);
  response.on('close', () => {
    clock.stop();
    signal.abort(IS_OVER);
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
