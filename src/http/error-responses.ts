import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import type { Logger } from 'pino';

/** What a client can do about the requests that never reach GraphQL, by status. */
const ADVICE: Readonly<Record<number, string>> = {
  400: 'The body must be JSON in UTF-8, and the request one that can be read.',
  404: 'There is nothing here; GraphQL is at /graphql.',
  408: 'The request took too long to arrive.',
  413: 'The body is too long.',
  415: 'Send the operation as JSON in UTF-8, with "Content-Type: application/json", as it is or compressed once.',
  431: 'The headers, or the address, are too long.',
};

/** Answers what goes wrong outside Apollo in GraphQL's shape, in our own words: the framework's quote the request. */
export function answerRequestErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if ((error.statusCode ?? 500) >= 500) {
      log.error(
        { requestId: request.id, error: error.code ?? error.name },
        'internal server error',
      );
    }
    return refuse(request, reply, error.statusCode);
  });
  app.setNotFoundHandler((request, reply) => refuse(request, reply, 404));
}

/** Sends the error for a status; for want of one, that of a bug. */
export function refuse(
  _request: FastifyRequest,
  reply: FastifyReply,
  status = 500,
): FastifyReply {
  return reply.code(status).send(toErrors(status));
}

/** The body that goes with a status. */
export function toErrors(status: number) {
  const isBug = status >= 500;
  const message = isBug
    ? 'Internal server error'
    : (ADVICE[status] ?? 'This is no request to GraphQL.');
  const code = isBug
    ? 'INTERNAL_SERVER_ERROR'
    : status === 404
      ? 'NOT_FOUND'
      : 'BAD_REQUEST';
  return { errors: [{ message, extensions: { code } }] };
}
