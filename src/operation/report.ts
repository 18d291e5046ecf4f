import type { IncomingHttpHeaders } from 'node:http';
import {
  type FormattedExecutionResult,
  GraphQLError,
  type OperationDefinitionNode,
} from 'graphql';
import type { Logger } from 'pino';
import { IS_OVER } from '../callers/abort.ts';
import { RestError } from '../rest/errors.ts';
import type { OperationContext } from './context.ts';
import { isBug } from './errors.ts';

/** A longer name of an operation is not logged. Unit: characters. */
const MAX_NAME_LENGTH = 256;
/** Of the failed calls of one operation, which may be hundreds, only the first ones have a line each. */
const MAX_LOGGED_CALLS = 10;

/** Reports how an operation ended: bugs and failed calls to the log, and the operation to log, metrics and trace. */
export function report(
  operation: OperationDefinitionNode | undefined,
  errors: readonly GraphQLError[],
  result: FormattedExecutionResult,
  { context, log }: { context: OperationContext; log: Logger },
): void {
  reportErrors(errors, context, log);
  const { redact } = context;
  const { headers } = context.request;
  context.observer.end({
    type: operation?.operation ?? null,
    name: toName(operation?.name?.value ?? null, redact),
    client: toClientName(
      headers['apollographql-client-name'] ?? headers['graphql-client-name'],
      redact,
    ),
    clientVersion: toClientName(
      headers['apollographql-client-version'] ?? headers['graphql-client-version'],
      redact,
    ),
    codes: toCodes(result),
  });
}

/**
 * Logs what an operator must know, with the request id that the client has: bugs, which clients do not see, and failed
 * calls that the caller did not cause. Each call is logged once, even if several fields needed it.
 */
function reportErrors(
  errors: readonly GraphQLError[],
  context: OperationContext,
  log: Logger,
): void {
  if (errors.length === 0) return;
  const { redact } = context;
  const { ids } = context.observer;
  const causes = new Set(errors.map((error) => error.originalError ?? error));
  const failed = [...causes].filter(isFailedCall);
  for (const cause of failed.slice(0, MAX_LOGGED_CALLS))
    log.warn({ ...ids, ...cause.toLogFields() }, redact(cause.message));
  const others = failed.length - MAX_LOGGED_CALLS;
  if (others > 0) log.warn({ ...ids, calls: others }, 'further calls failed');
  for (const error of errors.filter(isBug)) reportBug(error, context, log);
}

/** Logs a bug. */
export function reportBug(
  error: unknown,
  { redact, observer }: OperationContext,
  log: Logger,
): void {
  const origin = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const {
    name,
    message,
    stack = '',
  } = origin instanceof Error ? origin : new Error(String(origin));
  log.error(
    {
      ...observer.ids,
      error: { name, message: redact(message), stack: redact(stack) },
    },
    'internal server error',
  );
}

/** Not a call that was given up because its client left. */
const isFailedCall = (error: Error): error is RestError =>
  error instanceof RestError && !error.isCallersOwn && error.cause !== IS_OVER;

/** A name for the log, without the token: a client can write anything there. */
export function toName(
  name: string | null,
  redact: (text: string) => string,
): string | null {
  if (name === null || name.length <= MAX_NAME_LENGTH) return name && redact(name);
  return '(too long)';
}

/** What a client says of itself, by a header of Apollo's clients or of The Guild's; undefined: nothing. */
const toClientName = (
  header: IncomingHttpHeaders[string],
  redact: (text: string) => string,
): string | undefined =>
  header === undefined ? undefined : (toName(String(header), redact) ?? undefined);

const NO_CODES: readonly string[] = [];

const toCodes = ({ errors }: FormattedExecutionResult): readonly string[] =>
  errors === undefined
    ? NO_CODES
    : [
        ...new Set(errors.map(({ extensions }) => String(extensions?.code ?? 'none'))),
      ].sort();
