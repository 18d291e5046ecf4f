import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CloseCode, handleProtocols } from 'graphql-ws';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CorsOrigins } from '../cors.ts';
import { answerRaw } from '../error-responses.ts';
import { readInTurn } from '../read-in-turns.ts';
import { toRequestId } from '../request-id.ts';
import type { Streams } from '../streams.ts';
import type { Upgrade } from './caller.ts';
import { type ConnectionOptions, SocketConnection } from './connection.ts';
import { createSocketPlaces } from './socket-places.ts';

export interface SocketsOptions
  extends Pick<
    ConnectionOptions,
    'subscribe' | 'operationTime' | 'holdRequest' | 'callerOf' | 'incoming' | 'sendings'
  > {
  readonly corsOrigins: CorsOrigins;
  /** Of all callers. One may have four fifths of them. */
  readonly maxSockets: number;
  /** Unit: bytes. */
  readonly maxMessageBytes: number;
  readonly streams: Streams;
  readonly log: Logger;
  /** Counts the answer to an upgrade. */
  readonly count: (status: number) => void;
}

/** The frames of one message. Most clients send one; some begin another every few kilobytes. */
const MAX_FRAGMENTS = 1024;
/** The pieces in which one frame may come: over slow networks, each has some 500 bytes. */
const MAX_CHUNKS = 4096;
/** Node reads at most this much at a time; if it was all, more is waiting. Unit: bytes. */
const READ_BYTES = 65_536;

/** Serves /graphql over WebSockets too, with the protocol graphql-transport-ws. */
export function serveSockets(http: Server, options: SocketsOptions): void {
  const { corsOrigins, maxSockets, maxMessageBytes, streams, log, count } = options;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessageBytes,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_CHUNKS,
    autoPong: false,
    handleProtocols,
  });
  const places = createSocketPlaces(maxSockets);
  const ids = new WeakMap<IncomingMessage, string>();

  function refuse(socket: Duplex, status: number, request: IncomingMessage): void {
    socket.once('finish', () => socket.destroy());
    answerRaw(socket, status, ids.get(request));
    count(status);
  }

  server.on('headers', (headers, request) => {
    headers.push(`X-Request-Id: ${ids.get(request)}`);
  });
  server.on('wsClientError', (_error, socket, request) => refuse(socket, 400, request));

  function open(socket: WebSocket, upgrade: Upgrade): SocketConnection {
    count(101);
    const connection = new SocketConnection(socket, upgrade, {
      ...options,
      admit: ({ token }) => places.admit(connection, options.callerOf(token)),
      settle: () => places.settle(connection),
      closed() {
        places.closed(connection);
        ended();
      },
      failed(requestId, error) {
        const name = error instanceof Error ? error.name : typeof error;
        log.error({ requestId, error: name }, 'internal server error');
      },
    });
    if (socket.protocol === '') {
      const code = CloseCode.SubprotocolNotAcceptable;
      connection.close(code, 'Subprotocol not acceptable');
    }
    places.open(connection);
    const ended = streams.add({
      transport: 'websocket',
      close: () => connection.drain(),
      destroy: () => connection.destroy(),
    });
    return connection;
  }

  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      passAsRequest(http, { request, socket, head });
      return;
    }
    socket.on('error', () => socket.destroy());
    const id = toRequestId(request);
    ids.set(request, id);
    if (!/^\/graphql(?:\?|$)/.test(request.url ?? '')) refuse(socket, 404, request);
    else if (!isAllowedOrigin(request.headers, corsOrigins)) refuse(socket, 403, request);
    else {
      const { headers } = request;
      const address = request.socket.remoteAddress;
      server.handleUpgrade(request, socket, head, (ws) => {
        const connection = open(ws, { id, headers, address });
        // Behind the listener of `ws`, which takes whole messages out of it.
        socket.on('data', (part: Buffer) => {
          connection.arrived();
          const isMoreToCome = part.length >= READ_BYTES;
          if (isMoreToCome) readInTurn(socket as Socket, () => !ws.isPaused);
        });
      });
    }
  });
}

/**
 * Whether a page of this origin may open a WebSocket. Browsers do not ask before, as they do for other requests; other clients
 * send no origin.
 */
function isAllowedOrigin(
  { origin, host }: IncomingHttpHeaders,
  allowed: '*' | readonly string[],
): boolean {
  if (allowed === '*' || origin === undefined || allowed.includes(origin)) return true;
  // The gateway's own pages.
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/**
 * Serves a request as if it had not asked for another protocol, such as `h2c`, which some clients always ask for. Node leaves
 * such a request alone only while nothing listens for upgrades, so it is read again, without that header.
 */
function passAsRequest(
  server: Server,
  {
    request,
    socket,
    head,
  }: {
    readonly request: IncomingMessage;
    readonly socket: Duplex;
    /** What came behind the headers. */
    readonly head: Buffer;
  },
): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  const text = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.unshift(Buffer.concat([text, head]));
  server.emit('connection', socket);
}
