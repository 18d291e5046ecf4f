import type { ErrorCode } from './error-codes.ts';
import { codeOf, NETWORK_CAUSES, toNetworkCause } from './network-cause.ts';
import {
  isRedirect,
  isRefusal,
  isRefusedSetup,
  isUnknownId,
  RATE_LIMITED,
  toCode,
  UNAUTHORIZED,
} from './status.ts';

/** The methods of the interface. Source: Endpoints. */
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A call by its method and route, such as `/v1/messages/:id`; never with an id, a query or a body. */
export interface Call {
  readonly method: Method;
  readonly route: string;
}

const isWrite = ({ method }: Call) => method !== 'GET';

/** What clients see in `extensions`. */
export type Extensions = Readonly<Record<string, unknown>> & { readonly code: ErrorCode };

/** An expected error. It has no stack, because one answer may hold hundreds of thousands of errors. */
export abstract class OperationalError extends Error {
  abstract readonly code: ErrorCode;

  constructor(message: string) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
    this.name = new.target.name;
  }

  /** Not a property `extensions`: graphql would read that of every error, also of those that are never shown. */
  toExtensions(): Extensions {
    return { code: this.code };
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

/**
 * How an attempt of a call ended: the status of the answer, or why there was none. `cancelled`: nobody waited for it, it was
 * refused in the queue, or there was no room for it.
 */
export type CallOutcome = number | 'timeout' | 'unreachable' | 'cancelled' | 'invalid';

/** A failed call to the messaging service. The message never quotes the service. */
export abstract class RestError extends OperationalError {
  readonly call: Call;
  /** Whether it was a write that the service may have carried out despite the error. */
  readonly outcomeUnknown: boolean;
  abstract readonly outcome: CallOutcome;

  /** `mayBeDone`: whether the service may have carried the call out. */
  constructor(call: Call, trouble: string, mayBeDone = true) {
    super(`${call.method} ${call.route} ${trouble}`);
    this.call = call;
    this.outcomeUnknown = mayBeDone && isWrite(call);
  }

  /** Whether it concerns its caller alone. Then it is not logged, because there may be thousands. */
  get isCallersOwn(): boolean {
    return false;
  }

  /** The fields of its log line. They hold no text from outside. */
  toLogFields(): Readonly<Record<string, unknown>> {
    const { method, route } = this.call;
    return { method, route, outcomeUnknown: this.outcomeUnknown };
  }

  override toExtensions(): Extensions {
    const extensions = { code: this.code, ...this.furtherExtensions() };
    return this.outcomeUnknown ? { ...extensions, outcome: 'unknown' } : extensions;
  }

  protected furtherExtensions(): Readonly<Record<string, unknown>> {
    return {};
  }
}

/** Whether a write that failed may have been carried out. */
export const mayBeDone = (error: unknown): boolean =>
  error instanceof RestError && error.outcomeUnknown;

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
  readonly code: ErrorCode;
  readonly details: StatusDetails;

  constructor(call: Call, details: StatusDetails) {
    const { status } = details;
    super(call, `answered ${status}${toHint(call, status)}`, !isRefusal(status));
    this.details = details;
    this.code = isWrongAddress(call, status) ? 'UPSTREAM_ERROR' : toCode(status);
  }

  get outcome() {
    return this.details.status;
  }

  /** The message and, for a 4xx, the service's own words. The error itself does not have these, because it is logged. */
  describe(): string {
    const words = isRefusal(this.details.status) ? this.details.words : null;
    return words === null ? this.message : `${this.message}: ${words}`;
  }

  override get isCallersOwn(): boolean {
    const { status } = this.details;
    return (
      isRefusal(status) && !isRefusedSetup(status) && !isWrongAddress(this.call, status)
    );
  }

  override toLogFields() {
    return { ...super.toLogFields(), status: this.details.status };
  }

  protected override furtherExtensions() {
    const { status, retryAfterSeconds } = this.details;
    return {
      upstream: isRefusal(status) ? { status, body: this.details.body } : { status },
      ...(status === RATE_LIMITED && retryAfterSeconds !== null && { retryAfterSeconds }),
    };
  }
}

/**
 * A mutation may read what it changes. For other reads by id and lists filtered by an id, a 404 becomes null; for lists
 * without such a filter, it means a wrong address.
 */
const isWrongAddress = (call: Call, status: number): boolean =>
  isUnknownId(status) && !isWrite(call) && !call.route.endsWith('/:id');

function toHint(call: Call, status: number): string {
  if (status === UNAUTHORIZED) return ' (the service refused the token)';
  if (isWrongAddress(call, status))
    return ' (the service has no such list at this address: check MESSAGING_URL)';
  return isRedirect(status)
    ? ' (a redirect, which is not followed: check MESSAGING_URL)'
    : '';
}

/** No answer that is HTTP: the time was up, there was no connection, it broke, or (`invalid`) the answer was malformed. */
export class RestNetworkError extends RestError {
  readonly kind: 'timeout' | 'unreachable' | 'invalid';
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
    super(call, describeCause(kind, cause), mayHaveLeft);
    this.kind = kind;
    this.mayHaveLeft = mayHaveLeft;
    this.cause = cause;
  }

  get code() {
    return CODES[this.kind];
  }

  get outcome() {
    return this.kind;
  }

  override toLogFields() {
    const { kind, cause } = this;
    return { ...super.toLogFields(), kind, cause: codeOf(cause) ?? undefined };
  }
}

const CODES = {
  timeout: 'UPSTREAM_TIMEOUT',
  unreachable: 'UPSTREAM_UNREACHABLE',
  invalid: 'UPSTREAM_INVALID_RESPONSE',
} as const;

/** The error of a call that was certainly not sent, because its operation was aborted or it waited too long. */
export const notSentInTime = (call: Call, cause: unknown): RestNetworkError =>
  new RestNetworkError(call, { kind: 'timeout', mayHaveLeft: false, cause });

function describeCause(kind: RestNetworkError['kind'], error: unknown): string {
  if (kind === 'timeout') {
    const isLimit = error instanceof Error && error.name === 'TimeoutError';
    return `got no answer${isLimit ? `: ${error.message}` : ' in time'}`;
  }
  const cause = toNetworkCause(error);
  return cause === null
    ? 'had no connection, or lost it'
    : `got no ${kind === 'invalid' ? 'readable ' : ''}answer: ${NETWORK_CAUSES[cause]}`;
}

/** An answer that differs from the interface. Its text names fields, never their values. */
export class RestDecodeError extends RestError {
  readonly code = 'UPSTREAM_INVALID_RESPONSE';
  readonly outcome = 'invalid';
}

/** A call that was not made, or whose answer was not read, to protect the service or this process. */
export class OverloadedError extends RestError {
  readonly code = 'OVERLOADED';
  readonly outcome = 'cancelled';
  /** When the caller should try again; at least 1. */
  readonly retryAfterSeconds: number;

  /**
   * `retryAfterSeconds`: by default 1, when queues have moved, and other operations have ended. `wasSent`: only the answer
   * could not be read, because this process has no room for it.
   */
  constructor(
    call: Call,
    trouble: string,
    { retryAfterSeconds = 1, wasSent = false } = {},
  ) {
    super(call, trouble, wasSent);
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  }

  protected override furtherExtensions() {
    return { retryAfterSeconds: this.retryAfterSeconds };
  }
}

/** A call that was not made, or whose answer was not read, because its operation has read too many bytes. */
export class TooManyBytesError extends RestError {
  readonly code = 'OPERATION_TOO_COSTLY';
  readonly outcome = 'cancelled';

  override get isCallersOwn(): boolean {
    return true;
  }
}

/** An input that the gateway refuses before any call. */
export class BadInputError extends OperationalError {
  readonly code = 'BAD_USER_INPUT';
}

/** The request carried no bearer token, so no call was made. */
export class MissingTokenError extends OperationalError {
  readonly code = 'UNAUTHENTICATED';

  constructor() {
    super('Missing token: send the header "Authorization: Bearer <ACCESS_TOKEN>".');
  }
}

/** For `.catch`: returns null if the service does not know the id, and rethrows any other error. */
export function nullIfUnknown(error: unknown): null {
  if (error instanceof RestStatusError && isUnknownId(error.details.status)) return null;
  throw error;
}
