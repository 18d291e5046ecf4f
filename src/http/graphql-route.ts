import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  isStream,
  type OperationResponse,
  type Operations,
} from '../operation/request.ts';
import { type ArrivalOptions, arrive } from './arrival.ts';
import { dropBody } from './json-body.ts';
import { RESULTS_ONLY } from './media-type.ts';
import { sendResults, toSingleResult, typeStream } from './result-body.ts';
import type { StreamFormat } from './stream-format.ts';
import type { Streams } from './streams.ts';

export interface GraphqlOptions
  extends Pick<Operations, 'run' | 'subscribe'>,
    Pick<ArrivalOptions, 'operationTime'> {
  readonly streams: Streams;
}

/**
 * Runs each request and sends the answer. It does not use Apollo's own handler, which parses the `Host` header as a URL
 * and fails if it is not one.
 */
export function graphqlHandler({
  run,
  subscribe,
  operationTime,
  streams,
}: GraphqlOptions) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string | FastifyReply> => {
    const { id, body } = request;
    const arrival = arrive(request.raw, reply.raw, { id, body, operationTime });
    const { operation, accepts } = arrival;
    const { stream: format } = accepts;
    if (format === null) return toBody(reply, await run(operation));
    const answer = await subscribe(
      accepts.any ? operation : { ...operation, accepts: RESULTS_ONLY },
    );
    if (!isStream(answer)) return toBody(reply, answer, accepts.any ? null : format);
    arrival.clock.stop();
    dropBody(request);
    if (operation.signal.aborted) answer.end('left');
    return sendResults(reply, answer, { format, streams });
  };
}

/** Sets the status and the headers of an answer, and returns its body. `format`: of a client that reads errors of GraphQL there, too: a browser shows it no other status than 200. */
export function toBody(
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
