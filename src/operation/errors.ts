import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { locationsOf } from '../document/locations.ts';
import { ERROR_CODES, type ErrorCode } from '../rest/error-codes.ts';
import { type Extensions, OperationalError, RestStatusError } from '../rest/errors.ts';

/**
 * The error as clients see it. Errors of GraphQL and Apollo keep their code, expected errors have one, and the
 * rest are bugs, whose message is hidden.
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

function toPlace(error: GraphQLError): Omit<GraphQLFormattedError, 'extensions'> {
  const { path } = error;
  const cause = toCause(error);
  const message = cause instanceof RestStatusError ? cause.describe() : error.message;
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
  if (cause instanceof OperationalError) return cause.toExtensions();
  return cause instanceof GraphQLError ? ofGraphql(cause, error) : null;
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
