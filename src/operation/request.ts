import type { IncomingHttpHeaders } from 'node:http';
import type { FormattedExecutionResult, GraphQLError } from 'graphql';
import type { CallerId } from '../callers/caller-id.ts';
import type { Lifetime } from '../callers/time-limit.ts';
import type { Plan } from '../document/plan.ts';
import type { Subscriber } from '../live/subscriber.ts';

/** A request for GraphQL, as the HTTP layer hands it over. */
export interface OperationRequest {
  /** The request id: in logs, on calls to the service and on the answer. */
  readonly id: string;
  /** Whose token it has, and from where it comes. */
  readonly caller: CallerId;
  /** The part of the `Authorization` header that must not appear in any log line or error; null if there is none. */
  readonly secret: string | null;
  readonly headers: IncomingHttpHeaders;
  readonly accepts: Accepts;
  readonly params: HttpParams;
  /** Aborted when the answer is sent, the client has left, or the operation's time is up. */
  readonly lifetime: Lifetime;
  /** Set by `subscribe`: where a subscription is put that has begun. */
  readonly stream?: StreamSlot;
}

/** The place for the one subscription that a request may begin. */
export interface StreamSlot {
  begun: BegunSubscription | null;
}

/** A request whose operation has a plan: its document was parsed and validated, now or for an earlier request. */
export interface PlannedRequest {
  readonly plan: Plan;
  /** As the client sent them. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** `extensions` beside `query`. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** A subscription that was checked, and the changes for which it is executed. */
export interface BegunSubscription {
  readonly request: PlannedRequest;
  readonly subscriber: Subscriber<unknown>;
  /** The error of its only field, as an answer lists it. */
  readonly locate: (error: unknown) => GraphQLError;
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
export interface OperationResponse {
  readonly status: number;
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly body: string;
}

/**
 * The results of an open subscription, one for each event. A transport sends each result when the client has room for it, and
 * only then takes the next one: what the client does not read waits here, and is counted.
 *
 * It ends by itself when the service no longer accepts the token; the last result has that error. A transport ends it with
 * `end` when the client leaves (`return` does so too) or the gateway stops.
 */
export interface ResultStream extends AsyncIterableIterator<FormattedExecutionResult> {
  /** The resume token in the last result, with which a client of server-sent events goes on; null if it has none. */
  readonly eventId: string | null;
  /** Nothing more is sent; what waits is dropped. */
  end(reason: 'left' | 'drained'): void;
  /**
   * Runs when it has ended because the client left too much unread. The transport closes the connection at once, because
   * no further message would be read.
   */
  onOverrun(close: () => void): void;
  return(): Promise<IteratorResult<FormattedExecutionResult, undefined>>;
}

/** Runs GraphQL requests. */
export interface Operations {
  /** A subscription is refused here. */
  run(request: OperationRequest): Promise<OperationResponse>;
  /**
   * For every transport that can send several results. A subscription that begins is a stream of results. Anything else,
   * also a subscription that is refused, has one response, whose body is one result as JSON.
   *
   * `request.accepts` says which JSON the one response is; a transport without HTTP sets `any`, `type` and `onlyPlainJson`,
   * and the header `content-type` of JSON, because other sites cannot send that. A stream is noted in `Streams`, so that
   * a stop of the gateway ends it. `request.lifetime` bounds the response, or the time until the stream begins; each event
   * has its own.
   */
  subscribe(request: OperationRequest): Promise<OperationResponse | ResultStream>;
  stop(): Promise<void>;
}

export const isStream = (
  answer: OperationResponse | ResultStream,
): answer is ResultStream => Symbol.asyncIterator in answer;
