/** The methods of the interface. Source: Endpoints. */
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Which call failed: its method and route, `/v1/messages/:id`; never an id, a query or a body. */
export interface Call {
  readonly method: Method;
  readonly route: string;
}

const isWrite = ({ method }: Call) => method !== 'GET';

/** An error that is no bug, and has no stack: one answer may hold hundreds of thousands, and each would keep its own. */
export abstract class OperationalError extends Error {
  constructor(message: string) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
  }
}

/** Trouble with one call to the messaging service. Its text is ours: nothing the service said stands in it. */
export abstract class RestError extends OperationalError {
  readonly call: Call;
  /** True for a write that the service may have carried out all the same. */
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
  /** What the service said, at most 4 KiB, without the caller's token; null if nothing. */
  readonly body: unknown;
  readonly retryAfterSeconds: number | null;
}

/** The service answered, and it was no. A 4xx is a plain refusal; of a write, anything else leaves the outcome open. */
export class RestStatusError extends RestError {
  readonly details: StatusDetails;

  constructor(call: Call, details: StatusDetails) {
    const refused = details.status >= 400 && details.status < 500;
    super(call, `answered ${details.status}`, isWrite(call) && !refused);
    this.details = details;
  }
}

/** No answer: none in time, no connection, or one that broke. */
export class RestNetworkError extends RestError {
  readonly kind: 'timeout' | 'unreachable';
  /** False when the request provably never left. */
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

/** An answer that is not what the interface promises. `trouble` names fields, never their values. */
export class RestDecodeError extends RestError {
  constructor(call: Call, trouble: string) {
    super(call, trouble, isWrite(call));
  }
}

/** A call that was not made, to spare the service or this process. Nothing was sent. */
export class OverloadedError extends RestError {
  /** When to come back; at least 1. */
  readonly retryAfterSeconds: number;

  constructor(call: Call, trouble: string, retryAfterSeconds: number) {
    super(call, trouble, false);
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  }
}

/** A value that cannot be sent, known before any call. */
export class BadInputError extends Error {
  override readonly name = 'BadInputError';
}

/** The request carried no bearer token, so no call was made. */
export class MissingTokenError extends Error {
  override readonly name = 'MissingTokenError';

  constructor() {
    super('This needs the header "Authorization: Bearer <ACCESS_TOKEN>".');
  }
}

/** Open point: unknown id. 404 and 410 are read as "there is none". */
const UNKNOWN_ID_STATUSES: readonly number[] = [404, 410];

/** For `.catch`: null if the service does not know the id, else the error again. */
export function nullIfUnknown(error: unknown): null {
  if (
    error instanceof RestStatusError &&
    UNKNOWN_ID_STATUSES.includes(error.details.status)
  ) {
    return null;
  }
  throw error;
}
