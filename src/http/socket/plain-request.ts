import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Serves a request as if it had not asked for another protocol, such as `h2c`, which some clients always ask for. Node leaves
 * such a request alone only while nothing listens for upgrades, so it is read again, without that header.
 */
export function passAsRequest(
  server: Server,
  {
    request,
    socket,
    head,
  }: {
    readonly request: IncomingMessage;
    readonly socket: Duplex;
    /** What came behind the headers. */
    readonly head: Buffer;
  },
): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  const text = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.unshift(Buffer.concat([text, head]));
  server.emit('connection', socket);
}
