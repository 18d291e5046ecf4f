import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationRequest, OperationResponse } from '../operation/request.ts';
import { Cancellation, IS_OVER, timeIsUp } from '../rest/abort.ts';
import { turnOf } from '../rest/thread.ts';
import { toBearerToken, toSecret } from './credentials.ts';
import { toParams } from './graphql-request.ts';
import { toAccepts } from './media-type.ts';

export interface GraphqlOptions {
  readonly run: (request: OperationRequest) => Promise<OperationResponse>;
  /** The longest time of a whole operation. Unit: milliseconds. */
  readonly operationTimeoutMs: number;
}

/**
 * Runs each request and sends the answer. It does not use Apollo's own handler, which parses the `Host` header as a URL
 * and fails if it is not one.
 */
export function graphqlHandler({ run, operationTimeoutMs }: GraphqlOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const { id, headers } = request;
    const end = new Cancellation();
    const timer = setTimeout(
      () => end.abort(timeIsUp(operationTimeoutMs)),
      operationTimeoutMs,
    );
    reply.raw.once('close', () => {
      clearTimeout(timer);
      end.abort(IS_OVER);
    });
    const deadline = performance.now() + operationTimeoutMs;
    const token = toBearerToken(headers.authorization);
    const turn = turnOf(token ?? '');
    if (turn !== undefined) await turn;
    const answer = await run({
      id,
      token,
      secret: token ?? toSecret(headers.authorization),
      headers,
      accepts: toAccepts(headers.accept),
      params: toParams(request.method, request.url, request.body),
      signal: end,
      deadline,
    });
    reply.code(answer.status);
    for (const [name, value] of answer.headers) reply.header(name, value);
    return answer.body;
  };
}
