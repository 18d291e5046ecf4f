import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A free port of this machine, for workers that must all listen at the same one, also those that start later. */
export async function findFreePort(host: string): Promise<number> {
  const server = createServer();
  await once(server.listen(0, host), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
