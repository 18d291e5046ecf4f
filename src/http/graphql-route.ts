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
import { sendEvents, toSingleEvent, typeEvents } from './event-stream.ts';
import { toParams } from './graphql-request.ts';
import { toAccepts } from './media-type.ts';
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
    const asked: OperationRequest = {
      id,
      token,
      secret: token ?? toSecret(headers.authorization),
      headers,
      accepts: toAccepts(headers.accept),
      params: toParams(request.method, request.url, request.body),
      signal: end,
      deadline,
    };
    if (!asked.accepts.events) return send(reply, await run(asked));
    const onlyEvents = !asked.accepts.any;
    const answer = await subscribe(onlyEvents ? { ...asked, accepts: ONE_EVENT } : asked);
    if (!isStream(answer)) return send(reply, answer, onlyEvents);
    clearTimeout(timer);
    if (end.aborted) answer.end('left');
    return sendEvents(reply, answer, streams);
  };
}

/** A client that reads nothing but events reads errors of GraphQL there, too: a browser shows it no other status than 200. */
const ONE_EVENT: OperationRequest['accepts'] = {
  any: true,
  type: 'application/json; charset=utf-8',
  onlyPlainJson: true,
  events: true,
};

function send(reply: FastifyReply, answer: OperationResponse, asEvent = false): string {
  reply.code(answer.status);
  for (const [name, value] of answer.headers) reply.header(name, value);
  if (!asEvent || answer.status !== 200) return answer.body;
  typeEvents(reply);
  return toSingleEvent(answer.body);
}
