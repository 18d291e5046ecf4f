import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

interface ListenOptions {
  readonly host: string;
  readonly port: number;
}

/**
 * Makes a server listen: for `localhost`, on each of its addresses, such as 127.0.0.1 and ::1. Fastify would give every
 * further address an HTTP server of its own, without the listeners and the bounds that were added to the first one.
 */
export async function listen(
  app: FastifyInstance,
  { host, port }: ListenOptions,
): Promise<void> {
  if (host !== 'localhost') {
    await app.listen({ host, port });
    return;
  }
  const [first, ...others] = (await lookup(host, { all: true })).map(
    ({ address }) => address,
  );
  const further: Server[] = [];
  app.addHook('preClose', async () => {
    for (const server of further) server.close();
  });
  await app.listen({ host: first ?? host, port });
  const { port: taken } = app.server.address() as AddressInfo;
  for (const address of new Set(others)) {
    const server = await passConnections(app, { host: address, port: taken });
    if (server !== null) further.push(server);
  }
}

/** Listens on one more address, and hands its connections to the server of an app; null if this machine cannot listen there. */
async function passConnections(
  app: FastifyInstance,
  address: ListenOptions,
): Promise<Server | null> {
  // The options with which Node's HTTP server accepts connections.
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  server.on('connection', (socket: Socket) => app.server.emit('connection', socket));
  try {
    await once(server.listen(address), 'listening');
    return server;
  } catch {
    // `localhost` may have an address that this machine does not.
    return null;
  }
}
