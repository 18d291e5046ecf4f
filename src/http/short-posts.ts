import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { OperationResponse, Operations } from '../operation/request.ts';
import { type ArrivalOptions, arrive } from './arrival.ts';
import { isShort } from './compression.ts';
import { type CorsOrigins, toCorsHeaders } from './cors.ts';
import type { Drain } from './drain.ts';
import { toBody } from './graphql-route.ts';
import { toHeaders } from './headers.ts';
import { readJson } from './json-body.ts';
import { SHORT_BODY_BYTES } from './limits.ts';
import { toAccepts } from './media-type.ts';
import type { MetricsPage } from './metrics.ts';
import { GRAPHQL_PATH } from './mount.ts';
import { toRequestId } from './request-id.ts';
import type { SendTogether } from './send-together.ts';
import { PART_BYTES, watchShort } from './sending.ts';
import type { Sendings } from './sendings.ts';
import type { CountUnanswered } from './unanswered.ts';

/** The answer to a request that was read here, for Fastify to send. */
interface Made {
  readonly id: string;
  readonly send: (reply: FastifyReply) => void;
}

/** The requests that Fastify gets with an answer. */
export type MadeAnswers = WeakMap<IncomingMessage, Made>;

export interface ShortPostsOptions
  extends Pick<Operations, 'run'>,
    Pick<ArrivalOptions, 'operationTime'> {
  readonly made: MadeAnswers;
  readonly corsOrigins: CorsOrigins;
  readonly drain: Pick<Drain, 'isDraining' | 'watch'>;
  readonly countUnanswered: CountUnanswered;
  readonly sendings: Pick<Sendings, 'begin'>;
  readonly together: SendTogether;
  readonly metrics: Pick<MetricsPage, 'countResponse'> | null;
}

/** Bodies in UTF-8 that are not compressed. Fastify reads those whose type is written in another way. */
const JSON_TYPES: ReadonlySet<string | undefined> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json;charset=UTF-8',
]);

/**
 * Answers most requests without Fastify: short POSTs of JSON to /graphql. Its hooks take a tenth of the time of an
 * operation with one call. All checks and headers are the same functions. Fastify gets every other request before it is
 * read, and the answers that are no plain text: errors, and those that are compressed or sent in parts.
 */
export function answerShortPosts(app: FastifyInstance, options: ShortPostsOptions): void {
  const { run, operationTime, drain, countUnanswered } = options;
  const corsHeaders = toCorsHeaders(options.corsOrigins);

  function take(request: IncomingMessage, response: ServerResponse): void {
    if (!isShortPost(request) || drain.isDraining()) {
      app.routing(request, response);
      return;
    }
    if (countUnanswered(request, response)) void answer(request, response);
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const id = toRequestId(request);
    const bytes = await readWhole(request);
    // The client has left.
    if (response.closed) return;
    drain.watch(response);
    try {
      const arrival = { id, body: readJson(bytes), operationTime };
      const { operation, turn } = arrive(request, response, arrival);
      if (turn !== undefined) await turn;
      const made = await run(operation);
      if (isPlain(request, made.body)) send(request, response, id, made);
      else pass(request, response, { id, send: (reply) => sendMade(reply, made) });
    } catch (error) {
      pass(request, response, { id, send: (reply) => reply.send(error) });
    }
  }

  function send(
    { headers: { origin } }: IncomingMessage,
    response: ServerResponse,
    id: string,
    { status, headers, body }: OperationResponse,
  ): void {
    const head: Record<string, string | number> = {
      ...corsHeaders(origin),
      ...toHeaders(id),
      'content-length': Buffer.byteLength(body),
    };
    for (const [name, value] of headers) head[name] ??= value;
    options.together(() => {
      // Makes clients with keep-alive connections reconnect, which leads them to another replica.
      if (drain.isDraining()) head.connection = 'close';
      response.writeHead(status, head);
      response.end(body);
      options.metrics?.countResponse(GRAPHQL_PATH, status);
      watchShort(options.sendings, response, id);
    });
  }

  function pass(request: IncomingMessage, response: ServerResponse, made: Made): void {
    options.made.set(request, made);
    app.routing(request, response);
  }

  app.server.removeAllListeners('request').on('request', take);
}

/** Whether a request needs nothing but what is done here, as its headers say. */
const isShortPost = ({ method, url, httpVersion, headers }: IncomingMessage): boolean =>
  method === 'POST' &&
  url === GRAPHQL_PATH &&
  httpVersion === '1.1' &&
  JSON_TYPES.has(headers['content-type']) &&
  Number(headers['content-length']) <= SHORT_BODY_BYTES &&
  headers['content-encoding'] === undefined &&
  headers.expect === undefined &&
  headers.host !== undefined &&
  toAccepts(headers.accept).stream === null;

/** Reads a body. The promise stays open if the client leaves before its end. */
const readWhole = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const [first] = parts;
      resolve(parts.length === 1 && first ? first : Buffer.concat(parts));
    });
  });

const sendMade = (reply: FastifyReply, made: OperationResponse) =>
  reply.send(toBody(reply, made));

/** Whether an answer is sent as it is, and at once. */
const isPlain = ({ headers }: IncomingMessage, body: string): boolean =>
  isShort(body) ||
  (headers['accept-encoding'] === undefined && body.length <= PART_BYTES);
