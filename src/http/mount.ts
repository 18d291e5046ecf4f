import { IncomingMessage, type ServerResponse } from 'node:http';
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import { readAll, replay } from './replay.ts';

export const GRAPHQL_PATH = '/graphql';

/** Answers one request for GraphQL. With `next`, requests that are not for GraphQL are passed on. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

export interface PluginOptions {
  /** Below the plugin's prefix. Default `/graphql`, or `/` if the prefix ends with `/graphql`. */
  readonly path?: string;
}

export type Plugin = FastifyPluginAsync<PluginOptions>;

export interface MountOptions {
  /** The gateway's own app, which need not listen. */
  readonly app: FastifyInstance;
  /** From then on, every request is refused with 503. */
  readonly isClosing: () => boolean;
}

/** What Express, Connect and their middleware add to a request. */
interface HostRequest extends IncomingMessage {
  /** The address before the path was taken off under which the handler is mounted. */
  originalUrl?: string;
  /** The route that led here; undefined in a middleware. */
  readonly route?: unknown;
  /** The body, if a middleware has read it. */
  readonly body?: unknown;
}

/** A handler for the requests of another server. That server decides the path, so every path is answered. */
export const createHandler =
  ({ app, isClosing }: MountOptions): Handler =>
  (request: HostRequest, response, next) => {
    if (next !== undefined && !isForGraphql(request)) next();
    else if (isClosing()) refuseClosed(response);
    else if (!request.readableEnded) route(app, request, response);
    // A middleware has read the body, and this stream will never end again.
    else route(app, replay(request, request.body), response);
  };

/** Whether a middleware is meant: `use(handler)` is for `/graphql` alone, `use('/api', handler)` also for `/api` itself. */
function isForGraphql({ url = '', originalUrl = url, route }: HostRequest): boolean {
  if (route !== undefined) return true;
  const [path] = url.split('?', 1);
  return path === GRAPHQL_PATH || (path === '/' && originalUrl !== url);
}

/** A plugin that adds one route to another Fastify server, and leaves everything else there as it is. */
export const createPlugin =
  ({ app, isClosing }: MountOptions): Plugin =>
  async (host, { path }) => {
    // The gateway reads the bodies of this route itself, within its own bounds.
    host.removeAllContentTypeParsers();
    host.addContentTypeParser('*', async ({ raw }: FastifyRequest, body: Body) =>
      body === raw ? raw : replayStream(raw, body),
    );
    host.route({
      url: path ?? (host.prefix.endsWith(GRAPHQL_PATH) ? '/' : GRAPHQL_PATH),
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      handler(request, reply) {
        const { raw: response } = reply.hijack();
        keepHeaders(reply);
        const { raw, body } = request;
        if (isClosing()) refuseClosed(response);
        else route(app, body instanceof IncomingMessage ? body : raw, response);
      },
    });
  };

type Body = NodeJS.ReadableStream & { readonly receivedEncodedLength?: number };

/** A request whose body hooks of the other server have replaced; Fastify marks one that they have decompressed. */
async function replayStream(raw: IncomingMessage, body: Body): Promise<IncomingMessage> {
  const isDecoded = body.receivedEncodedLength !== undefined;
  const encoding = isDecoded ? undefined : raw.headers['content-encoding'];
  return replay(raw, await readAll(body), encoding);
}

/** Keeps what hooks of the other server have set, such as the state of a rate limit. */
function keepHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}

/** Hands a request to the app's only route for GraphQL, whatever its path was. Loggers show `originalUrl`. */
function route(
  app: FastifyInstance,
  request: HostRequest,
  response: ServerResponse,
): void {
  const { url = '' } = request;
  const search = url.indexOf('?');
  request.originalUrl ??= url;
  request.url = search === -1 ? GRAPHQL_PATH : GRAPHQL_PATH + url.slice(search);
  app.routing(request, response);
}

/** The result of an operation for a gateway that is closed. */
export const CLOSED = {
  errors: [
    {
      message: 'This gateway is closed.',
      extensions: { code: 'OVERLOADED', retryAfterSeconds: 1 },
    },
  ],
};

function refuseClosed(response: ServerResponse): void {
  response.writeHead(503, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': '1',
  });
  response.end(JSON.stringify(CLOSED));
}
