import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Nothing listens there: for requests that make no call to the service. */
export const NOWHERE = 'http://127.0.0.1:1';

/** Posts a body to /graphql: text and bytes as they are, anything else as JSON. */
export const post = (
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body:
      typeof body === 'string' || body instanceof Uint8Array
        ? (body as string)
        : JSON.stringify(body),
  });

/** Sends text over a connection of its own, and reads until the gateway closes it. */
export async function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
  socket.write(text);
  return Buffer.concat(await socket.toArray()).toString();
}

/** Sends each text over a connection of its own, all in one moment; reads each until the gateway closes it. */
export async function sendAtOnce(url: string, texts: string[]): Promise<string[]> {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    texts.map(async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      return socket;
    }),
  );
  for (const [index, socket] of sockets.entries()) socket.write(texts[index] ?? '');
  const answers = sockets.map(async (socket) =>
    Buffer.concat(await socket.toArray()).toString(),
  );
  return Promise.all(answers);
}

/** Sends an operation with the token "secret-token" over a connection of its own, waits until the answer begins, and reads no more of it. */
export async function askAndWait(
  url: string,
  query: string,
  requestId: string,
): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ query });
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer secret-token\r\nX-Request-Id: ${requestId}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'readable');
  return socket;
}
