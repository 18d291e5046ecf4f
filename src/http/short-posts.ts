import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { OperationResponse, Operations } from '../operation/request.ts';
import { type ArrivalOptions, arrive } from './arrival.ts';
import { BodyError, readBody } from './body.ts';
import { isShort } from './compression.ts';
import { type CorsOrigins, toCorsHeaders } from './cors.ts';
import type { Drain } from './drain.ts';
import { toBody } from './graphql-route.ts';
import { HEADERS } from './headers.ts';
import type { InOrder } from './in-order.ts';
import type { Incoming } from './incoming.ts';
import { isShortBody, readJson } from './json-body.ts';
import { toAccepts } from './media-type.ts';
import type { MetricsPage } from './metrics.ts';
import { GRAPHQL_PATH } from './mount.ts';
import { toRequestId } from './request-id.ts';
import type { Together } from './send-together.ts';
import { PART_BYTES, watchShort } from './sending.ts';
import type { Sendings } from './sendings.ts';

/** A request that was read here, and whose answer Fastify is to send. */
interface HandedOver {
  readonly id: string;
  readonly send: (reply: FastifyReply) => void;
}

export type HandedOvers = WeakMap<IncomingMessage, HandedOver>;

export interface ShortPostsOptions
  extends Pick<Operations, 'run'>,
    Pick<ArrivalOptions, 'operationTime'> {
  /** The requests that Fastify gets with their answers. */
  readonly handedOver: HandedOvers;
  readonly corsOrigins: CorsOrigins;
  readonly drain: Pick<Drain, 'isDraining' | 'watch'>;
  readonly inOrder: InOrder;
  readonly incoming: Incoming;
  readonly sendings: Pick<Sendings, 'begin'>;
  readonly together: Pick<Together, 'later'>;
  readonly metrics: Pick<MetricsPage, 'countResponse'> | null;
}

type Head = Readonly<Record<string, string>>;

/** Makes a client with a keep-alive connection reconnect, which leads it to another replica. */
export const CLOSE: Head = { connection: 'close' };
const NOTHING: Head = {};
const COMMON = Object.entries(HEADERS).flat();
/** Headers of an answer that are left out, because they are set here: a list, unlike an object, would send them twice. */
const SET_HERE: ReadonlySet<string> = new Set([
  ...Object.keys(HEADERS),
  'x-request-id',
  'content-length',
  'vary',
]);

/** Bodies in UTF-8. Fastify reads those whose type is written in another way. */
const JSON_TYPES: ReadonlySet<string | undefined> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json;charset=UTF-8',
]);

/**
 * Answers short POSTs of JSON to /graphql, as most requests are, without Fastify, whose hooks take a tenth of the time of
 * an operation with one call. It calls the functions that the hooks call. Fastify gets every other request before it is
 * read. It also gets requests that were read here, with their answers, if these are compressed or sent in parts, or if the
 * request could not be read or met a bug.
 */
export function answerShortPosts(app: FastifyInstance, options: ShortPostsOptions): void {
  const { run, operationTime, drain, inOrder, incoming } = options;
  const corsHeaders = toCorsHeaders(options.corsOrigins);

  function take(request: IncomingMessage, response: ServerResponse): void {
    if (!isShortPost(request) || drain.isDraining()) {
      app.routing(request, response);
      return;
    }
    const turn = inOrder(request, response);
    if (turn === undefined) void answer(request, response);
    else void turn.then(() => answer(request, response));
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const id = toRequestId(request);
    let head = NOTHING;
    try {
      const body = await readBody(request, incoming, (body) => {
        // The client has left.
        if (response.closed) throw new BodyError(400);
        drain.watch(response);
        if (drain.isDraining()) head = CLOSE;
        return readJson(body);
      });
      const { operation } = arrive(request, response, { id, body, operationTime });
      const answered = await run(operation);
      if (isPlain(request, answered.body))
        send(request, response, { id, head, answered });
      else
        handOver(request, response, id, (reply) =>
          reply.headers(head).send(toBody(reply, answered)),
        );
    } catch (error) {
      if (response.closed) return;
      handOver(request, response, id, (reply) => reply.headers(head).send(error));
    }
  }

  function send(
    { headers: { origin } }: IncomingMessage,
    response: ServerResponse,
    { id, head: own, answered }: { id: string; head: Head; answered: OperationResponse },
  ): void {
    const { status, headers, body } = answered;
    const bytes = Buffer.byteLength(body);
    // Each name is followed by its value: Node need not copy such a list.
    const head = [...COMMON, ...corsHeaders(origin), 'x-request-id', id];
    head.push('content-length', String(bytes));
    for (const name in own) head.push(name, own[name] as string);
    for (const [name, value] of headers) if (!SET_HERE.has(name)) head.push(name, value);
    // Not at once: the client may have left, or have requests before this one that are not answered yet.
    response.on('finish', () => options.metrics?.countResponse(GRAPHQL_PATH, status));
    options.together.later(() => {
      response.writeHead(status, head);
      // As many bytes as characters: then the text is ASCII, and Node writes that faster as Latin-1.
      response.end(body, bytes === body.length ? 'latin1' : 'utf8');
      watchShort(options.sendings, response, id);
    });
  }

  function handOver(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    send: HandedOver['send'],
  ): void {
    options.handedOver.set(request, { id, send });
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
  isShortBody(headers) &&
  headers.expect === undefined &&
  headers.host !== undefined &&
  toAccepts(headers.accept).stream === null;

/** Whether an answer is sent as it is, and at once. */
const isPlain = ({ headers }: IncomingMessage, body: string): boolean =>
  isShort(body) ||
  (headers['accept-encoding'] === undefined && body.length <= PART_BYTES);
