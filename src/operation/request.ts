import type { IncomingHttpHeaders } from 'node:http';
import type { Signal } from '../rest/abort.ts';

/** A request for GraphQL, as the HTTP layer hands it over. */
export interface OperationRequest {
  /** The request id: in logs, on calls to the service and on the answer. */
  readonly id: string;
  /** The bearer token; null if the request has none. */
  readonly token: string | null;
  /** The part of the `Authorization` header that must not appear in any log line or error; null if there is none. */
  readonly secret: string | null;
  readonly headers: IncomingHttpHeaders;
  readonly accepts: Accepts;
  readonly params: HttpParams;
  /** Aborted when the answer is sent, the client has left, or the operation's time is up. */
  readonly signal: Signal;
  /** When the operation's time is up, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly deadline: number;
}

/** Which answers the client can read. Source: GraphQL over HTTP, "Accept". */
export interface Accepts {
  /** Whether it can read any answer. */
  readonly any: boolean;
  /** The type of the answer; null if it can read none. */
  readonly type: string | null;
  /** Whether it accepts `application/json` only. Such a client may ignore the GraphQL errors of an answer whose status is not 200. */
  readonly onlyPlainJson: boolean;
}

/** Where GraphQL's parameters come from: the query string of a GET, the JSON body of a POST. */
export interface HttpParams {
  readonly method: string;
  /** The query string with its `?`, or the empty text. */
  readonly search: string;
  readonly body: unknown;
}

/** The answer, as the HTTP layer sends it. */
export interface ResponseParts {
  readonly status: number;
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly body: string;
}

declare const response: unique symbol;

/** An answer that may be sent. Only `apollo.ts` and `repeated.ts` make one, from a reported operation. */
export interface OperationResponse extends ResponseParts {
  readonly [response]: true;
}

/** Runs GraphQL requests. */
export interface Operations {
  run(request: OperationRequest): Promise<OperationResponse>;
  stop(): Promise<void>;
}
