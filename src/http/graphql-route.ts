import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  isStream,
  type OperationRequest,
  type OperationResponse,
  type Operations,
} from '../operation/request.ts';
import { Cancellation, IS_OVER, timeIsUp } from '../rest/abort.ts';
import { turnOf } from '../rest/thread.ts';
import { toBearerToken, toSecret } from './credentials.ts';
import { toParams } from './graphql-request.ts';
import { RESULTS_ONLY, toAccepts } from './media-type.ts';
import { sendResults, toSingleResult, typeStream } from './result-body.ts';
import type { StreamFormat } from './stream-format.ts';
import type { Streams } from './streams.ts';

export interface GraphqlOptions extends Pick<Operations, 'run' | 'subscribe'> {
  /** The longest time of a whole operation. Unit: milliseconds. */
  readonly operationTimeoutMs: number;
  readonly streams: Streams;
}

/**
 * Runs each request and sends the answer. It does not use Apollo's own handler, which parses the `Host` header as a URL
 * and fails if it is not one.
 */
export function graphqlHandler({
  run,
  subscribe,
  operationTimeoutMs,
  streams,
}: GraphqlOptions) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string | FastifyReply> => {
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
    const accepts = toAccepts(headers.accept);
    const asked: OperationRequest = {
      id,
      token,
      secret: token ?? toSecret(headers.authorization),
      headers,
      accepts,
      params: toParams(request.method, request.url, request.body),
      signal: end,
      deadline,
    };
    const { stream: format } = accepts;
    if (format === null) return send(reply, await run(asked));
    const answer = await subscribe(
      accepts.any ? asked : { ...asked, accepts: RESULTS_ONLY },
    );
    if (!isStream(answer)) return send(reply, answer, accepts.any ? null : format);
    clearTimeout(timer);
    if (end.aborted) answer.end('left');
    return sendResults(reply, answer, { format, streams });
  };
}

/** `format`: of a client that reads errors of GraphQL there, too: a browser shows it no other status than 200. */
function send(
  reply: FastifyReply,
  answer: OperationResponse,
  format: StreamFormat | null = null,
): string {
  reply.code(answer.status);
  for (const [name, value] of answer.headers) reply.header(name, value);
  if (format === null || answer.status !== 200) return answer.body;
  typeStream(reply, format);
  return toSingleResult(format, answer.body);
}
