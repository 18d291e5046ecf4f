import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { BudgetError } from '../cost/budget.ts';
import { BadCursorError, BadPageError, PageOutOfReachError } from '../paging/errors.ts';
import {
  BadInputError,
  MissingTokenError,
  OverloadedError,
  RestDecodeError,
  RestError,
  RestNetworkError,
  RestStatusError,
} from '../rest/errors.ts';
import { TimestampUnitError } from '../rest/timestamp.ts';

/** What clients see in `extensions`. */
type Extensions = Readonly<Record<string, unknown> & { code: string }>;

const CODE_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'BAD_USER_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
  422: 'BAD_USER_INPUT',
  429: 'RATE_LIMITED',
};

const CODE_BY_KIND: Readonly<Record<RestNetworkError['kind'], string>> = {
  timeout: 'UPSTREAM_TIMEOUT',
  unreachable: 'UPSTREAM_UNREACHABLE',
};

/** From an error to its extensions; the first class that fits counts. */
const TABLE: readonly [
  kind: abstract new (...args: never[]) => Error,
  (error: never) => Extensions,
][] = [
  [MissingTokenError, () => ({ code: 'UNAUTHENTICATED' })],
  [BadInputError, () => ({ code: 'BAD_USER_INPUT' })],
  [BadPageError, () => ({ code: 'BAD_USER_INPUT' })],
  [BadCursorError, () => ({ code: 'BAD_USER_INPUT' })],
  [PageOutOfReachError, () => ({ code: 'PAGE_OUT_OF_REACH' })],
  [BudgetError, () => ({ code: 'OPERATION_TOO_COSTLY' })],
  [TimestampUnitError, () => ({ code: 'NOT_CONFIGURED' })],
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
 * The error as clients see it. GraphQL's own pass as they are; trouble with a call or a page gets its code; what is
 * left is a bug of ours, of which nothing is told.
 */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
): GraphQLFormattedError {
  const extensions = toExtensions(unwrapResolverError(error)) ?? requestMistake(error);
  if (extensions !== null) return { ...formatted, extensions };
  if (!isBug(error)) return formatted;
  return {
    ...formatted,
    message: 'Internal server error',
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  };
}

/** Whether an error is none that this gateway foresees: to be logged, and hidden from clients. */
export function isBug(error: unknown): boolean {
  const cause = unwrapResolverError(error);
  if (toExtensions(cause) !== null || requestMistake(error) !== null) return false;
  return !(cause instanceof GraphQLError) || hasNoCode(cause);
}

const hasNoCode = ({ extensions }: GraphQLError): boolean =>
  extensions.code === undefined || extensions.code === 'INTERNAL_SERVER_ERROR';

/**
 * A client's mistake that GraphQL or Apollo report without a code: a persisted query that is not what its hash says, or
 * an argument without a value. Those of resolvers and scalars, which would be ours, point at no place in the document.
 */
function requestMistake(error: unknown): Extensions | null {
  const cause = unwrapResolverError(error);
  if (!(cause instanceof GraphQLError) || cause.extensions.code !== undefined)
    return null;
  if (cause === error) return { code: 'BAD_REQUEST' };
  return cause.nodes === undefined ? null : { code: 'BAD_USER_INPUT' };
}

function toExtensions(error: unknown): Extensions | null {
  const row = TABLE.find(([kind]) => error instanceof kind);
  if (row === undefined) return null;
  const extensions = row[1](error as never);
  return error instanceof RestError && error.outcomeUnknown
    ? { ...extensions, outcome: 'unknown' }
    : extensions;
}

function ofStatus({ call, details }: RestStatusError): Extensions {
  const { status, body, retryAfterSeconds } = details;
  const code = CODE_BY_STATUS[status] ?? 'UPSTREAM_ERROR';
  // Reads by id, and lists of one id, have turned 404 into null before this: it is a plain list, and so a wrong address.
  const isWrongAddress = code === 'NOT_FOUND' && call.method === 'GET';
  const isOurs = status >= 400 && status < 500;
  return {
    code: isWrongAddress ? 'UPSTREAM_ERROR' : code,
    upstream: isOurs ? { status, body } : { status },
    ...(code === 'RATE_LIMITED' && retryAfterSeconds !== null
      ? { retryAfterSeconds }
      : {}),
  };
}
