import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import {
  RestDecodeError,
  RestError,
  RestNetworkError,
  RestStatusError,
} from '../rest/errors.ts';
import type { OperationContext } from './context.ts';
import { isBug } from './errors.ts';

/**
 * Logs, with the request id that the client has, what an operator must know: bugs of ours, of which clients are told
 * nothing, and calls that failed through no fault of the caller, once each however many fields wanted them.
 */
export function logTrouble(log: Logger): ApolloServerPlugin<OperationContext> {
  function logBug(error: unknown, context?: OperationContext): void {
    const {
      name,
      message,
      stack = '',
    } = error instanceof Error ? error : new Error(String(error));
    // Without a context it is not known what the text must not tell.
    const redact = context?.redact ?? (() => '[withheld]');
    log.error(
      {
        requestId: context?.requestId,
        error: { name, message: redact(message), stack: redact(stack) },
      },
      'internal server error',
    );
  }

  return {
    async requestDidStart({ contextValue }) {
      return {
        async didEncounterErrors({ errors }) {
          const { requestId, redact } = contextValue;
          for (const cause of new Set(errors.map(toCause))) {
            if (cause instanceof RestError && isOfTheService(cause)) {
              log.warn({ requestId, ...describe(cause) }, redact(cause.message));
            }
          }
          for (const error of errors.filter(isBug)) logBug(toCause(error), contextValue);
        },
      };
    },
    async unexpectedErrorProcessingRequest({ error, requestContext }) {
      logBug(error, requestContext.contextValue);
    },
    async contextCreationDidFail({ error }) {
      logBug(error);
    },
  };
}

const toCause = (error: GraphQLError): Error => error.originalError ?? error;

/** A 4xx is the caller's, and may come by the thousand. */
const isOfTheService = (error: RestError): boolean =>
  !(error instanceof RestStatusError) || error.details.status >= 500;

/** What tells a refused connection from a name that is not known; no text that came from outside. */
function describe(error: RestError): Record<string, unknown> {
  const { method, route } = error.call;
  const call = { method, route, outcomeUnknown: error.outcomeUnknown };
  if (error instanceof RestStatusError) return { ...call, status: error.details.status };
  if (error instanceof RestDecodeError) return call;
  if (!(error instanceof RestNetworkError)) return call;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return { ...call, kind: error.kind, cause: code };
}
