import { type Client, createClient } from 'graphql-ws';
import { page, waitToRetry } from './live-reconnect.ts';

/** A ping has to be answered within this time. Unit: milliseconds. */
const PONG_MS = 5000;

/**
 * A WebSocket that comes back by itself, also from a connection that died without a word, as when a phone leaves its network: then
 * no ping is answered. `url`: such as `http://127.0.0.1:4000/graphql`.
 */
export function createLiveSocket(url: string, getToken: () => string): Client {
  let silence: ReturnType<typeof setTimeout> | undefined;
  const socket = createClient({
    url: url.replace(/^http/, 'ws'),
    connectionParams: () => ({ authorization: `Bearer ${getToken()}` }),
    // Without these, the first attempt that finds no gateway is the last one.
    shouldRetry: () => true,
    retryAttempts: Infinity,
    retryWait: waitToRetry,
    keepAlive: 10_000,
    on: {
      ping: (isReceived) => {
        if (!isReceived) silence = setTimeout(socket.terminate, PONG_MS);
      },
      pong: () => clearTimeout(silence),
      closed: () => clearTimeout(silence),
    },
  });
  page.addEventListener?.('offline', socket.terminate);
  return socket;
}
