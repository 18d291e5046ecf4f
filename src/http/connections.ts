import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { toBearerToken } from './credentials.ts';
import type { Incoming } from './incoming.ts';
import { BYTES_PER_REQUEST } from './limits.ts';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
}

/**
 * Makes a server listen: for `localhost`, on each of its addresses, such as 127.0.0.1 and ::1. Each further address hands
 * its connections to that one server, with its listeners and bounds. Returns what listens there. Throws if another program
 * has the port on any of them; port 0 is one that is free on all.
 */
export async function listen(
  server: HttpServer,
  { host, port }: ListenOptions,
): Promise<Server[]> {
  const all = host === 'localhost' ? await lookup(host, { all: true }) : [];
  const [first = host, ...others] = new Set(all.map(({ address }) => address));
  await once(server.listen({ host: first, port }), 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const further: Server[] = [];
  try {
    for (const address of others) {
      const one = await passConnections(server, { host: address, port: taken });
      if (one !== null) further.push(one);
    }
    return further;
  } catch (error) {
    for (const one of [server, ...further]) await once(one.close(), 'close');
    if (port !== 0) throw error;
    return listen(server, { host, port });
  }
}

/** Listens on one more address, and hands its connections to a server; null if this machine cannot listen there. */
async function passConnections(
  to: HttpServer,
  address: ListenOptions,
): Promise<Server | null> {
  // The options with which Node's HTTP server accepts connections.
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  server.on('connection', (socket: Socket) => to.emit('connection', socket));
  try {
    await once(server.listen(address), 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw error;
    // `localhost` may have an address that this machine does not.
    return null;
  }
}

/** By connection, the last of the requests that wait: only of that one, a part may be missing. */
const lastOf = new WeakMap<Socket, ServerResponse>();

/** Node resumes a connection whenever a request has come whole, also if it is paused. */
function pause(this: Socket): void {
  this.pause();
}

/**
 * Lets a client send requests before the first is answered, but answers one after the other: Node would begin them all, and
 * keep each answer until the client has read those before it. While one waits, the connection is read, so that it is noticed
 * if the client leaves; while more wait, it is not. All that wait count as incoming, and the connection is closed if there is
 * no room for them. Returns undefined for a request that need not wait.
 */
export function limitPipelining(
  incoming: Incoming,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> | undefined {
  // Node gives a response its socket when its turn has come. Over HTTP/2, no response waits for another one.
  if (response.socket !== null || request.httpVersionMajor > 1) return undefined;
  const { socket, headers } = request;
  const token = toBearerToken(headers.authorization);
  const close = () => socket.destroy();
  const held = incoming.open({ token, address: socket.remoteAddress }, close);
  request.once('close', held.end);
  return new Promise((begin) => {
    if (!held.hold(BYTES_PER_REQUEST)) {
      close();
      return;
    }
    if (lastOf.has(socket)) socket.off('resume', pause).on('resume', pause).pause();
    lastOf.set(socket, response);
    response.once('socket', () => {
      held.end();
      if (lastOf.get(socket) === response) {
        lastOf.delete(socket);
        socket.off('resume', pause).resume();
      }
      begin();
    });
  });
}
