import type { ApolloServerPlugin } from '@apollo/server';
import { type FormattedExecutionResult, GraphQLError } from 'graphql';
import { acceptsAnswers, acceptsPlainJsonOnly } from '../http/media-type.ts';
import type { OperationContext } from './context.ts';

type Plugin = ApolloServerPlugin<OperationContext>;
type SingleResult = Pick<FormattedExecutionResult, 'data' | 'errors'>;

/** Refuses, before anything is done, an operation whose answer the client could not read. */
export const refuseUnreadable: Plugin = {
  async requestDidStart() {
    return {
      async didResolveOperation({ request }) {
        if (acceptsAnswers(request.http?.headers.get('accept'))) return;
        // Apollo finds the same afterwards, and words it; what matters here is to stop.
        throw new GraphQLError('Not acceptable', {
          extensions: { http: { status: 406 } },
        });
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
      async willSendResponse({ request, operation, response: { http, body } }) {
        if (body.kind !== 'single' || !isRequestError(body.singleResult)) return;
        delete body.singleResult.data;
        if ((http.status ?? 200) > 400) return;
        const { errors = [] } = body.singleResult;
        // Apollo has the code for a subscription, too: that is a request like any other, and refused.
        const isWellFormed =
          operation !== undefined ||
          errors.every(({ extensions }) => extensions?.code !== 'BAD_REQUEST');
        const isPlain = acceptsPlainJsonOnly(request.http?.headers.get('accept'));
        http.status = isWellFormed && isPlain ? 200 : 400;
      },
    };
  },
};

/** Nothing was executed: no data, or, as graphql has it for an operation the schema has no root for, null without a path. */
const isRequestError = ({ data, errors = [] }: SingleResult): boolean =>
  data === undefined || (data === null && errors.every(({ path }) => path === undefined));

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
