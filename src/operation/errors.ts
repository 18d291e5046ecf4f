import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { BudgetError } from '../cost/budget.ts';
import { locationsOf } from '../document/locations.ts';
import {
  LiveOffError,
  NoNewestEndError,
  NothingToWatchError,
  TooManySubscriptionsError,
} from '../live/errors.ts';
import { BadPageError, PageOutOfReachError } from '../paging/errors.ts';
import {
  BadInputError,
  MissingTokenError,
  OverloadedError,
  RestDecodeError,
  RestError,
  RestNetworkError,
  RestStatusError,
  TooManyBytesError,
} from '../rest/errors.ts';
import { TimestampUnitError } from '../rest/timestamp.ts';

/** Every code that an error may have; docs/errors.md explains each. */
export const ERROR_CODES = [
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'BAD_USER_INPUT',
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'UPSTREAM_ERROR',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNREACHABLE',
  'UPSTREAM_INVALID_RESPONSE',
  'PAGE_OUT_OF_REACH',
  'OPERATION_TOO_COSTLY',
  'OVERLOADED',
  'NOT_CONFIGURED',
  'DOCUMENT_TOO_DEEP',
  'DOCUMENT_TOO_WIDE',
  'DOCUMENT_NOT_TRUSTED',
  'BAD_REQUEST',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'TOO_MANY_ERRORS',
  'SERVICE_RESTART',
  'INTERNAL_SERVER_ERROR',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** What clients see in `extensions`. */
type Extensions = Readonly<Record<string, unknown>> & { readonly code: ErrorCode };

const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_USER_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
  422: 'BAD_USER_INPUT',
  429: 'RATE_LIMITED',
};

const CODE_BY_KIND: Readonly<Record<RestNetworkError['kind'], ErrorCode>> = {
  timeout: 'UPSTREAM_TIMEOUT',
  unreachable: 'UPSTREAM_UNREACHABLE',
};

/** The extensions of each class of expected errors; the first class that matches counts. */
const TABLE: readonly [
  kind: abstract new (...args: never[]) => Error,
  (error: never) => Extensions,
][] = [
  [MissingTokenError, () => ({ code: 'UNAUTHENTICATED' })],
  [BadInputError, () => ({ code: 'BAD_USER_INPUT' })],
  [BadPageError, () => ({ code: 'BAD_USER_INPUT' })],
  [PageOutOfReachError, () => ({ code: 'PAGE_OUT_OF_REACH' })],
  [BudgetError, () => ({ code: 'OPERATION_TOO_COSTLY' })],
  [TooManyBytesError, () => ({ code: 'OPERATION_TOO_COSTLY' })],
  [TimestampUnitError, () => ({ code: 'NOT_CONFIGURED' })],
  [LiveOffError, () => ({ code: 'NOT_CONFIGURED' })],
  [NothingToWatchError, () => ({ code: 'NOT_FOUND' })],
  [NoNewestEndError, () => ({ code: 'PAGE_OUT_OF_REACH' })],
  [
    TooManySubscriptionsError,
    ({ retryAfterSeconds }: TooManySubscriptionsError) => ({
      code: 'OVERLOADED',
      retryAfterSeconds,
    }),
  ],
  [
    OverloadedError,
    ({ retryAfterSeconds }: OverloadedError) => ({
      code: 'OVERLOADED',
      retryAfterSeconds,
    }),
  ],
  [RestStatusError, ofStatus],
  [RestNetworkError, ({ kind }: RestNetworkError) => ({ code: CODE_BY_KIND[kind] })],
  [RestDecodeError, () => ({ code: 'UPSTREAM_INVALID_RESPONSE' })],
];

/**
 * The error as clients see it. Errors of GraphQL and Apollo keep their code, expected errors get theirs from the table,
 * and the rest are bugs, whose message is hidden.
 */
export function toClientError(error: unknown): GraphQLFormattedError {
  const { message, ...place } =
    error instanceof GraphQLError ? toPlace(error) : { message: String(error) };
  const extensions = toExtensions(error);
  return extensions === null
    ? {
        message: 'Internal server error',
        ...place,
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      }
    : { message, ...place, extensions };
}

/** The message, and where the error is in the document and in the answer. */
function toPlace(error: GraphQLError): Omit<GraphQLFormattedError, 'extensions'> {
  const { path } = error;
  const cause = toCause(error);
  const message = cause instanceof RestStatusError ? describe(cause) : error.message;
  const locations = locationsOf(error);
  return { message, ...(locations && { locations }), ...(path && { path }) };
}

/** Whether an error was not expected: then it is logged, and hidden from clients. */
export const isBug = (error: unknown): boolean => toExtensions(error) === null;

/** What a resolver threw, or the error itself. */
const toCause = (error: unknown): unknown =>
  error instanceof GraphQLError && error.path && error.originalError
    ? error.originalError
    : error;

/** Null for a bug. */
function toExtensions(error: unknown): Extensions | null {
  const cause = toCause(error);
  const row = TABLE.find(([kind]) => cause instanceof kind);
  if (row === undefined)
    return cause instanceof GraphQLError ? ofGraphql(cause, error) : null;
  const extensions = row[1](cause as never);
  return cause instanceof RestError && cause.outcomeUnknown
    ? { ...extensions, outcome: 'unknown' }
    : extensions;
}

/** The extensions of an error of GraphQL or Apollo: its own code or, for a client's mistake without a code, ours. Null for a bug. */
function ofGraphql(cause: GraphQLError, error: unknown): Extensions | null {
  const { http: _status, ...extensions } = cause.extensions;
  if (extensions.code !== undefined) {
    return isErrorCode(extensions.code) ? { ...extensions, code: extensions.code } : null;
  }
  const isVariable = cause.nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION;
  // An argument without a value. Errors of resolvers and scalars would be bugs; those have no nodes.
  const isArgument = cause !== error && cause.nodes !== undefined;
  if (isVariable || isArgument) return { code: 'BAD_USER_INPUT' };
  // For example, a persisted query that does not match its hash. An error with an original error is a bug that Apollo wrapped.
  return cause === error && !cause.originalError ? { code: 'BAD_REQUEST' } : null;
}

const isErrorCode = (
  code: unknown,
): code is Exclude<ErrorCode, 'INTERNAL_SERVER_ERROR'> =>
  code !== 'INTERNAL_SERVER_ERROR' && (ERROR_CODES as readonly unknown[]).includes(code);

function ofStatus(error: RestStatusError): Extensions {
  const { details } = error;
  const { status, retryAfterSeconds } = details;
  const code = CODE_BY_STATUS[status] ?? 'UPSTREAM_ERROR';
  return {
    code: isWrongAddress(error) ? 'UPSTREAM_ERROR' : code,
    upstream: isRefusal(status) ? { status, body: details.body } : { status },
    ...(code === 'RATE_LIMITED' && retryAfterSeconds !== null
      ? { retryAfterSeconds }
      : {}),
  };
}

const isRefusal = (status: number): boolean => status >= 400 && status < 500;

/**
 * A mutation may read what it changes. For other reads by id and lists filtered by an id, a 404 has become null before; for
 * lists without such a filter, it means a wrong address.
 */
const isWrongAddress = ({ call, details }: RestStatusError): boolean =>
  CODE_BY_STATUS[details.status] === 'NOT_FOUND' &&
  call.method === 'GET' &&
  !call.route.endsWith('/:id');

/** The message with a hint and, for a 4xx, the service's own words. The error itself has neither, because it is logged. */
function describe(error: RestStatusError): string {
  const { message, details } = error;
  const words = isRefusal(details.status) ? details.words : null;
  return message + hintAt(error) + (words === null ? '' : `: ${words}`);
}

function hintAt(error: RestStatusError): string {
  const { status } = error.details;
  if (status === 401) return ' (the service refused the token)';
  if (isWrongAddress(error)) {
    return ' (the service has no such list at this address: check MESSAGING_URL)';
  }
  return status >= 300 && status < 400
    ? ' (a redirect, which is not followed: check MESSAGING_URL)'
    : '';
}
