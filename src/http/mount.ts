import {
  type IncomingMessage,
  type ServerResponse,
  validateHeaderValue,
} from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReplacedBody } from './body.ts';
import { OVERLOADED, toRefusal } from './error-responses.ts';
import type { Answer } from './exchange.ts';
import type { Handler, Plugin, Upgrade } from './mounted.ts';
import { GRAPHQL_PATH } from './routes.ts';
import type { GatewayServer } from './server.ts';

/** While the gateway drains, every request is refused with 503. */
export interface MountOptions
  extends Pick<GatewayServer, 'server' | 'handle' | 'reply' | 'drain'> {
  /** Whether a browser gets a page. */
  readonly servesExplorer: boolean;
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
  (options: MountOptions): Handler =>
  (request: HostRequest, response, next) => {
    if (next !== undefined && !isForGraphql(request)) {
      next();
      return;
    }
    try {
      // If a middleware has read the body, its stream will never end again.
      const replaced = request.readableEnded ? toReplacedBody(request.body) : null;
      answer(options, request, response, replaced);
    } catch {
      // Many servers end with what is thrown here.
      if (response.headersSent) response.destroy();
      else options.reply(request, response, toRefusal(500));
    }
  };

/** Refused like any other body that is no JSON. */
const NO_JSON = Buffer.from('{');

/** `body`: what was read, as bytes, a text or a parsed body; undefined: it was dropped. */
function toReplacedBody(body: unknown): ReplacedBody {
  const bytes = toBytes(body);
  return { stream: Readable.from([bytes]), length: bytes.length, isEncoded: false };
}

function toBytes(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (body instanceof Uint8Array) return Buffer.from(body);
  try {
    return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  } catch {
    // It is nested too deep, for example, or has a method `toJSON` that throws.
    return NO_JSON;
  }
}

/** Paths that a middleware mounted as `use(handler)` answers. */
const AT_ROOT = /^\/graphql(?:\/|\/explorer\/[^/]+)?$/;
/** And below a path: `use('/api', handler)`. Then `/api` itself may be the one for GraphQL. */
const BELOW_PATH = /^(?:\/graphql)?(?:\/|\/explorer\/[^/]+)?$/;

function isForGraphql({ url = '', originalUrl = url, route }: HostRequest): boolean {
  if (route !== undefined) return true;
  return (originalUrl === url ? AT_ROOT : BELOW_PATH).test(pathOf(url));
}

/** A listener for the event `upgrade` of another server. */
export const createUpgrade =
  ({ server }: Pick<MountOptions, 'server'>): Upgrade =>
  (request: HostRequest, socket, head) => {
    const { url = '' } = request;
    request.originalUrl ??= url;
    request.url = GRAPHQL_PATH + url.slice(pathOf(url).length);
    try {
      server.emit('upgrade', request, socket, head);
    } catch {
      socket.destroy();
    }
  };

/** A plugin that adds the routes of GraphQL to another Fastify server, and leaves everything else there as it is. */
export const createPlugin =
  (options: MountOptions): Plugin =>
  async (given, { path }) => {
    const host = given as FastifyInstance;
    const prefix = path ?? (host.prefix.endsWith(GRAPHQL_PATH) ? '' : GRAPHQL_PATH);
    await host.register(async (scope) => addRoutes(scope, options), { prefix });
  };

function addRoutes(host: FastifyInstance, options: MountOptions): void {
  // The gateway reads the bodies of these routes itself, within its own bounds.
  host.removeAllContentTypeParsers();
  host.addContentTypeParser('*', async (request: FastifyRequest, stream: HookedBody) => {
    if (stream === request.raw) return null;
    // Until the gateway reads it, nobody else listens.
    stream.on('error', () => {});
    const isEncoded = stream.receivedEncodedLength === undefined;
    return { stream, length: null, isEncoded } satisfies ReplacedBody;
  });
  const handler = ({ raw, body, id }: FastifyRequest, reply: FastifyReply): void => {
    // Both write the same id into their logs. Fastify's default ids begin anew with each process, so they name no request elsewhere.
    if (!FASTIFYS_COUNTER.test(id)) raw.headers['x-request-id'] = id;
    reply.hijack();
    keepHeaders(reply);
    answer(options, raw, reply.raw, (body as ReplacedBody | null | undefined) ?? null);
  };
  host.route({
    url: '/',
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    exposeHeadRoute: false,
    handler,
  });
  if (options.servesExplorer) host.get('/explorer/:name', handler);
}

const FASTIFYS_COUNTER = /^req-\w+$/;

/** A body that hooks of the other server may have replaced; Fastify marks one that they have decompressed. */
type HookedBody = Readable & { readonly receivedEncodedLength?: number };

/** Keeps what hooks of the other server have set, such as the state of a rate limit. */
function keepHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}

/**
 * Hands a request to the gateway's route for GraphQL, whatever its path was, or to that for a file of the explorer. Loggers
 * show `originalUrl`.
 */
function answer(
  { handle, reply, drain, servesExplorer }: MountOptions,
  request: HostRequest,
  response: ServerResponse,
  replacedBody: ReplacedBody | null,
): void {
  const { url = '' } = request;
  request.originalUrl ??= url;
  const path = pathOf(url);
  const file = servesExplorer ? EXPLORER_FILE.exec(path)?.[0] : undefined;
  request.url = (file ?? GRAPHQL_PATH) + url.slice(path.length);
  if (drain.isDraining()) {
    const refusal = toRefusal(OVERLOADED, { message: IS_CLOSED });
    reply(request, response, { ...refusal, status: 503 });
  } else if (servesExplorer && asksForPage(request))
    reply(request, response, redirectBelow(request));
  else handle(request, response, replacedBody);
}

const EXPLORER_FILE = /\/explorer\/[^/]+$/;

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

/** Whether a browser asks for the explorer where the relative addresses of its files would not work. */
const asksForPage = ({ method, headers, originalUrl = '' }: HostRequest): boolean =>
  method === 'GET' &&
  headers.accept?.includes('text/html') === true &&
  !/[?]|\/$|\/explorer\/[^/]+$/.test(originalUrl);

/** To the same path with a slash at its end. The dot keeps a name such as `https:other.example` from being an address. */
function redirectBelow({ originalUrl = '' }: HostRequest): Answer {
  const location = `./${originalUrl.slice(originalUrl.lastIndexOf('/') + 1)}/`;
  // Throws here, where the request can still be answered.
  validateHeaderValue('location', location);
  return { status: 302, headers: [['location', location]], body: '' };
}

export const IS_CLOSED = 'This gateway is closed.';
