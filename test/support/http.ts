import { connect } from 'node:net';

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
