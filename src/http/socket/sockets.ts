import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CloseCode, handleProtocols } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import type { HttpContext } from '../context.ts';
import { toRequestId } from '../credentials.ts';
import { answerInOrder, answerRaw } from '../error-responses.ts';
import { mayOpenSocket } from '../headers.ts';
import { MAX_BODY_BYTES } from '../limits.ts';
import { closeIfFull } from '../pipelining.ts';
import { trust } from '../read-turns.ts';
import { GRAPHQL_PATH, toPath } from '../routes.ts';
import { SocketConnection } from './connection.ts';
import { createSocketPlaces } from './socket-places.ts';

/** The frames of one message. Most clients send one; some begin another every few kilobytes. */
const MAX_FRAGMENTS = 1024;
/** The pieces in which one frame may come: over slow networks, each has some 500 bytes. */
const MAX_CHUNKS = 4096;

/** Serves /graphql over WebSockets too, with the protocol graphql-transport-ws. */
export function serveSockets(http: Server, context: HttpContext): void {
  const count = (status: number) => context.count(GRAPHQL_PATH, status);
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_BODY_BYTES,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_CHUNKS,
    autoPong: false,
    handleProtocols,
  });
  const places = createSocketPlaces(context.maxSubscriptions);
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

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const id = toRequestId(request);
    ids.set(request, id);
    if (toPath(request.url ?? '') !== GRAPHQL_PATH) refuse(socket, 404, request);
    else if (!mayOpenSocket(request.headers, context.corsOrigins))
      refuse(socket, 403, request);
    else {
      const address = request.socket.remoteAddress;
      const handshake = { id, headers: request.headers, address };
      server.handleUpgrade(request, socket, head, (ws) => {
        count(101);
        const connection = new SocketConnection(ws, handshake, places, context);
        if (ws.protocol === '') {
          const code = CloseCode.SubprotocolNotAcceptable;
          connection.close(code, 'Subprotocol not acceptable');
        }
        // Its turn to be read may come while its connection reads nothing.
        socket.on('resume', () => {
          if (ws.isPaused) socket.pause();
        });
        // Behind the listener of `ws`, which takes whole messages out of it.
        socket.on('data', () => {
          connection.countUnread();
          trust(socket as Socket, connection, null);
        });
        // Its turn may have come before somebody read from it.
        socket.resume();
      });
    }
  }

  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (closeIfFull(socket as Socket)) return;
    answerInOrder(socket, () => upgrade(request, socket, head));
  });
}
