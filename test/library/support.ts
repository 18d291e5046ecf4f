import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway, type GatewayOptions } from '../../src/gateway.ts';

/** A gateway in this process in front of a service. */
export const createTestGateway = (messagingUrl: string, options: GatewayOptions = {}) =>
  createGateway({
    messagingUrl,
    logLevel: 'silent',
    ...options,
  });

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

/** A logger that keeps its lines. */
export function keepLines() {
  const lines: Record<string, unknown>[] = [];
  const write = (level: string) => (entry: unknown, msg?: string) => {
    lines.push(
      typeof entry === 'string'
        ? { level, msg: entry }
        : { level, ...Object(entry), msg },
    );
  };
  const logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { lines, logger };
}

export const MESSAGE = '{ message(id: "m1") { message } }';
export const MESSAGE_DATA = { message: { message: 'text m1' } };
