/** The methods of the interface. Source: Endpoints. */
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A call by its method and route, such as `/v1/messages/:id`; never with an id, a query or a body. */
export interface Call {
  readonly method: Method;
  readonly route: string;
}

const isWrite = ({ method }: Call) => method !== 'GET';

/** An error that is expected, so it has no stack: one answer may hold hundreds of thousands of errors. */
export abstract class OperationalError extends Error {
  constructor(message: string) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
  }
}

/** A failed call to the messaging service. The message is our own: it never quotes the service. */
export abstract class RestError extends OperationalError {
  readonly call: Call;
  /** Whether it is a write that the service may have carried out nevertheless. */
  readonly outcomeUnknown: boolean;

  constructor(call: Call, trouble: string, outcomeUnknown: boolean) {
    super(`${call.method} ${call.route} ${trouble}`);
    this.name = new.target.name;
    this.call = call;
    this.outcomeUnknown = outcomeUnknown;
  }
}

export interface StatusDetails {
  readonly status: number;
  /** The body of the answer, at most 4 KiB, without the caller's token; null if it is empty. */
  readonly body: unknown;
  readonly retryAfterSeconds: number | null;
}

/** An answer that is not a success. A 4xx refuses the call; after any other status the outcome of a write is unknown. */
export class RestStatusError extends RestError {
  readonly details: StatusDetails;

  constructor(call: Call, details: StatusDetails) {
    const refused = details.status >= 400 && details.status < 500;
    super(call, `answered ${details.status}`, isWrite(call) && !refused);
    this.details = details;
  }
}

/** No answer came: the time was up, there was no connection, or it broke. */
export class RestNetworkError extends RestError {
  readonly kind: 'timeout' | 'unreachable';
  /** False if the request provably never left the gateway. */
  readonly mayHaveLeft: boolean;

  constructor(
    call: Call,
    {
      kind,
      mayHaveLeft,
      cause,
    }: Pick<RestNetworkError, 'kind' | 'mayHaveLeft' | 'cause'>,
  ) {
    const trouble =
      kind === 'timeout' ? 'got no answer in time' : 'found no connection, or lost it';
    super(call, trouble, isWrite(call) && mayHaveLeft);
    this.kind = kind;
    this.mayHaveLeft = mayHaveLeft;
    this.cause = cause;
  }
}

/** An answer that differs from the interface. `trouble` names fields, never their values. */
export class RestDecodeError extends RestError {
  constructor(call: Call, trouble: string) {
    super(call, trouble, isWrite(call));
  }
}

/** A call that was not made, to protect the service or this process. Nothing was sent. */
export class OverloadedError extends RestError {
  /** When to try again; at least 1. */
  readonly retryAfterSeconds: number;

  constructor(call: Call, trouble: string, retryAfterSeconds: number) {
    super(call, trouble, false);
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  }
}

/** An input that the gateway refuses before any call. */
export class BadInputError extends OperationalError {
  override readonly name = 'BadInputError';
}

/** The request carried no bearer token, so no call was made. */
export class MissingTokenError extends OperationalError {
  override readonly name = 'MissingTokenError';

  constructor() {
    super('This needs the header "Authorization: Bearer <ACCESS_TOKEN>".');
  }
}

/** Open point: error format. 404 and 410 mean that the id is unknown. */
const UNKNOWN_ID_STATUSES: readonly number[] = [404, 410];

/** For `.catch`: returns null if the service does not know the id, and throws any other error again. */
export function nullIfUnknown(error: unknown): null {
  if (
    error instanceof RestStatusError &&
    UNKNOWN_ID_STATUSES.includes(error.details.status)
  ) {
    return null;
  }
  throw error;
}
