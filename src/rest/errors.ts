import { NETWORK_CAUSES, toNetworkCause } from './network-cause.ts';

/** The methods of the interface. Source: Endpoints. */
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A call by its method and route, such as `/v1/messages/:id`; never with an id, a query or a body. */
export interface Call {
  readonly method: Method;
  readonly route: string;
}

const isWrite = ({ method }: Call) => method !== 'GET';

/** An expected error. It has no stack, because one answer may hold hundreds of thousands of errors. */
export abstract class OperationalError extends Error {
  constructor(message: string) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
  }
}

/** Makes an error without a stack: to record one takes longer than the rest of an error. */
export function withoutStack<E extends Error>(make: () => E): E {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** A failed call to the messaging service. The message never quotes the service. */
export abstract class RestError extends OperationalError {
  readonly call: Call;
  /** Whether it was a write that the service may have carried out despite the error. */
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
  /** The body of the answer, at most 4 KiB, without the caller's token; null if it is empty. Computed when it is read. */
  readonly body: unknown;
  /** Its words for people, on one line; null if there are none. Computed when they are read. */
  readonly words: string | null;
  readonly retryAfterSeconds: number | null;
}

/** An answer that is not a success. A 4xx refuses the call; after any other status, the outcome of a write is unknown. */
export class RestStatusError extends RestError {
  readonly details: StatusDetails;

  constructor(call: Call, details: StatusDetails) {
    const refused = details.status >= 400 && details.status < 500;
    super(call, `answered ${details.status}`, isWrite(call) && !refused);
    this.details = details;
  }
}

/** The service did not answer: the time was up, or there was no connection, or it broke. */
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
    super(call, describeCause(kind, cause), isWrite(call) && mayHaveLeft);
    this.kind = kind;
    this.mayHaveLeft = mayHaveLeft;
    this.cause = cause;
  }
}

function describeCause(kind: RestNetworkError['kind'], error: unknown): string {
  if (kind === 'timeout') {
    const isLimit = error instanceof Error && error.name === 'TimeoutError';
    return `got no answer${isLimit ? `: ${error.message}` : ' in time'}`;
  }
  const cause = toNetworkCause(error);
  return cause === null
    ? 'had no connection, or lost it'
    : `got no answer: ${NETWORK_CAUSES[cause]}`;
}

/** An answer that differs from the interface. `trouble` names fields, never their values. */
export class RestDecodeError extends RestError {
  constructor(call: Call, trouble: string) {
    super(call, trouble, isWrite(call));
  }
}

/** A call that was not made, or whose answer was not read, to protect the service or this process. */
export class OverloadedError extends RestError {
  /** When the caller should try again; at least 1. */
  readonly retryAfterSeconds: number;

  /** `wasSent`: only the answer could not be read, because this process has no room for it. */
  constructor(call: Call, trouble: string, retryAfterSeconds: number, wasSent = false) {
    super(call, trouble, wasSent && isWrite(call));
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  }
}

/** A call that was not made, or whose answer was not read, because its operation has read too many bytes. */
export class TooManyBytesError extends RestError {
  constructor(call: Call, trouble: string, wasSent: boolean) {
    super(call, trouble, wasSent && isWrite(call));
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
    super('Missing token: send the header "Authorization: Bearer <ACCESS_TOKEN>".');
  }
}

/** Open point: error format. 404 and 410 mean that the id is unknown. */
const UNKNOWN_ID_STATUSES: readonly number[] = [404, 410];

/** For `.catch`: returns null if the service does not know the id, and rethrows any other error. */
export function nullIfUnknown(error: unknown): null {
  if (
    error instanceof RestStatusError &&
    UNKNOWN_ID_STATUSES.includes(error.details.status)
  ) {
    return null;
  }
  throw error;
}
