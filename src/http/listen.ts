import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

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
