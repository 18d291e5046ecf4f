import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { WireOptions } from './request.ts';

/**
 * Looks once whether the service can be reached: opens a connection, with TLS for https, sends nothing and closes it.
 * Returns why there was no connection; null if there was one, or if the look was aborted.
 */
export function tryConnection(
  { url, timeoutMs }: Pick<WireOptions, 'url' | 'timeoutMs'>,
  signal: AbortSignal,
): Promise<Error | null> {
  const { hostname, host, protocol, port } = new URL(url);
  const address = { hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port };
  return new Promise((resolve) => {
    const end = (error: Error | null) => {
      socket.destroy();
      resolve(error);
    };
    const connect = buildConnector({ timeout: timeoutMs }) as unknown as Connect;
    const socket = connect(address, end);
    // After its end, it has no listener left for errors.
    socket.on('error', () => {});
    signal.addEventListener('abort', () => end(null), { once: true });
  });
}

/** As undici has it; its type lacks the socket that it returns. */
type Connect = (
  address: Readonly<Record<'hostname' | 'host' | 'protocol' | 'port', string>>,
  done: (error: Error | null) => void,
) => Socket;
