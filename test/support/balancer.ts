import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Starts what passes each new connection to the replica that is chosen then, as a load balancer does. */
export async function startBalancer(first: string) {
  let target = new URL(first);
  const arrivals: number[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    arrivals.push(performance.now());
    const replica = connect(Number(target.port), target.hostname);
    for (const socket of [client, replica]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        replica.destroy();
      });
    }
    client.pipe(replica).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** When each connection to the replica of now came. Unit: milliseconds. */
    arrivals,
    /** From now on connections go to `url`. */
    choose(url: string) {
      target = new URL(url);
      arrivals.length = 0;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
