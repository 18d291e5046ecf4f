import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Free ports of this machine, all different. */
export async function findPorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () =>
    createServer().listen(0, '127.0.0.1'),
  );
  const ports: number[] = [];
  for (const server of servers) {
    if (!server.listening) await once(server, 'listening');
    ports.push((server.address() as AddressInfo).port);
  }
  for (const server of servers) server.close();
  return ports;
}

/** Waits until a question is answered with true. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  { withinMs = 30_000 } = {},
): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
