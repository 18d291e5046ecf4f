import { once } from 'node:events';
import { WebSocket } from 'ws';

interface SocketMessage {
  readonly type: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read payloads of every shape
  readonly payload?: any;
}

interface SocketOptions {
  /** In the payload of `connection_init`. Default: `ann-token`. Null: without one. */
  readonly token?: string | null;
  /** Whether `connection_init` is sent at once. Default: yes. */
  readonly init?: boolean;
  readonly headers?: Record<string, string>;
  /** Default: the one that is spoken. */
  readonly protocols?: string[];
}

/** Opens a WebSocket whose messages a test writes. */
export async function openSocket(
  url: string,
  {
    token = 'ann-token',
    init = true,
    headers = {},
    protocols = ['graphql-transport-ws'],
  }: SocketOptions = {},
) {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/graphql`, protocols, {
    headers,
  });
  const messages: SocketMessage[] = [];
  let taken = 0;
  let isClosed = false;
  let wake = () => {};
  ws.on('message', (data) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  /** The code with which it was closed. */
  const closed = new Promise<number>((resolve) => {
    ws.on('close', (code) => {
      isClosed = true;
      wake();
      resolve(code);
    });
  });
  const opened = once(ws, 'open');
  ws.on('error', () => {});
  await opened;
  /** An object is sent as JSON. */
  const send = (message: unknown) =>
    ws.send(typeof message === 'string' ? message : JSON.stringify(message));
  const socket = {
    ws,
    messages,
    closed,
    send,
    subscribe: (id: string, query: string, variables?: Record<string, unknown>) =>
      send({ id, type: 'subscribe', payload: { query, variables } }),
    /** The next message that was not taken yet; null at the end. */
    async next() {
      while (messages.length === taken && !isClosed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const message = messages[taken] ?? null;
      if (message !== null) taken += 1;
      return message;
    },
    [Symbol.dispose]: () => ws.terminate(),
  };
  if (init) {
    send({
      type: 'connection_init',
      ...(token !== null && { payload: { Authorization: `Bearer ${token}` } }),
    });
    await socket.next();
  }
  return socket;
}
export type TestSocket = Awaited<ReturnType<typeof openSocket>>;
