import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { isBug } from '../errors.ts';
import { acceptsAnswers, acceptsPlainJsonOnly } from './accept.ts';
import type { OperationContext } from './operation.ts';

type Plugin = ApolloServerPlugin<OperationContext>;

/** Refuses, before anything is done, an operation whose answer the client could not read. */
export const refuseUnreadable: Plugin = {
  async requestDidStart() {
    return {
      async didResolveOperation({ request }) {
        if (acceptsAnswers(request.http?.headers.get('accept'))) return;
        throw new GraphQLError(
          'Accept application/graphql-response+json or application/json.',
          {
            extensions: { code: 'BAD_REQUEST', http: { status: 406 } },
          },
        );
      },
    };
  },
};

/**
 * Answers a request error with 4xx, or with 200 where the request is well-formed and the client knows
 * `application/json` alone. Apollo has 200 for an unknown persisted query, and nothing for such a client.
 */
export const requestErrorStatus: Plugin = {
  async requestDidStart() {
    return {
      async willSendResponse({ request, response: { http, body } }) {
        if (body.kind !== 'single' || 'data' in body.singleResult) return;
        if ((http.status ?? 200) > 400) return;
        const { errors = [] } = body.singleResult;
        const isWellFormed = errors.every(
          ({ extensions }) => extensions?.code !== 'BAD_REQUEST',
        );
        const isPlain = acceptsPlainJsonOnly(request.http?.headers.get('accept'));
        http.status = isWellFormed && isPlain ? 200 : 400;
      },
    };
  },
};

/** No error tells the caller's token, not even one that the caller wrote into the operation. */
export const redactErrors: Plugin = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, contextValue }) {
        if (response.body.kind !== 'single' || !response.body.singleResult.errors) return;
        response.body.singleResult.errors = response.body.singleResult.errors.map(
          (error) => ({
            ...error,
            message: contextValue.redact(error.message),
          }),
        );
      },
    };
  },
};

/** Logs what clients are not told: bugs of ours, with the request id that the client has. */
export function logBugs(log: Logger): Plugin {
  const report = (error: unknown, context?: OperationContext) => {
    const {
      name,
      message,
      stack = '',
    } = error instanceof Error ? error : new Error(`${error}`);
    const redact = context?.redact ?? (() => '[unknown caller]');
    log.error(
      {
        requestId: context?.requestId,
        error: { name, message: redact(message), stack: redact(stack) },
      },
      'internal server error',
    );
  };
  return {
    async requestDidStart({ contextValue }) {
      return {
        async didEncounterErrors({ errors }) {
          for (const error of errors.filter(isBug)) {
            report(error.originalError ?? error, contextValue);
          }
        },
      };
    },
    async unexpectedErrorProcessingRequest({ error, requestContext }) {
      report(error, requestContext.contextValue);
    },
    async contextCreationDidFail({ error }) {
      report(error);
    },
  };
}
