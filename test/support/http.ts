import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createPlainServer,
  type Socket,
} from 'node:net';
import type { HttpContext } from '../../src/http/context.ts';

/** Nothing listens there: for requests that make no call to the service. */
export const NOWHERE = 'http://127.0.0.1:1';

/** What the senders of answers need of a gateway. */
export const CONTEXT = {
  corsOrigins: '*',
  drain: { isDraining: () => false },
  count: () => {},
  failed: (_id: string, error: unknown) => {
    throw error;
  },
} as unknown as HttpContext;

/** Posts a body to /graphql: text and bytes as they are, anything else as JSON. */
export const post = (
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body:
      typeof body === 'string' || body instanceof Uint8Array
        ? (body as string)
        : JSON.stringify(body),
  });

/** The head of a POST, as it is written on a connection. */
export const toHead = (headers: Record<string, string>, path = '/graphql'): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

/** An operation, as it is written on a connection. */
export function toPost(query: string, headers: Record<string, string> = {}): string {
  const body = JSON.stringify({ query });
  const length = `${Buffer.byteLength(body)}`;
  const token = 'Bearer ann-token';
  return toHead({ Authorization: token, 'Content-Length': length, ...headers }) + body;
}

/** Opens a connection whose breaks are no errors. */
export function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
  return socket.on('error', () => {});
}

/** A connection over which a test writes requests by hand. */
export async function openConnection(url: string) {
  const socket = connectTo(url);
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (part) => {
    received += part;
  });
  return {
    socket,
    received: () => received,
    statuses: () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, one]) => one),
    isClosed: () => socket.closed,
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** Sends text over a connection of its own, and reads until the gateway closes it. */
export async function sendRaw(url: string, text: string): Promise<string> {
  const socket = connectTo(url);
  socket.write(text);
  return Buffer.concat(await socket.toArray()).toString();
}

/** Sends an operation with the token "secret-token" over a connection of its own, waits until the answer begins, and reads no more of it. */
export async function askAndWait(
  url: string,
  query: string,
  requestId: string,
): Promise<Socket> {
  const socket = connectTo(url).pause();
  socket.write(
    toPost(query, {
      Connection: 'close',
      Authorization: 'Bearer secret-token',
      'X-Request-Id': requestId,
    }),
  );
  await once(socket, 'readable');
  return socket;
}

/** A server on a free port that may speak any protocol. Its connections end with it. */
export async function servePlain(
  onSocket: (socket: Socket) => void = () => {},
  host = '127.0.0.1',
) {
  const sockets: Socket[] = [];
  const server = createPlainServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onSocket(socket);
  });
  await once(server.listen(0, host), 'listening');
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Serves a listener on a free port. */
export async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
