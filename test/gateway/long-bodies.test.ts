import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';

/** The gateway takes half of it. Unit: bytes. */
const LENGTH = 2 * 1024 * 1024;

/** A connection over which requests are written by hand. */
async function connectTo(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let received = '';
  let isClosed = false;
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  return {
    socket,
    statuses: () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, one]) => one),
    isClosed: () => isClosed,
    [Symbol.asyncDispose]: async () => void socket.destroy(),
  };
}

const head = (header: string) =>
  `POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;

// If it closed the connection instead, a client that still sends might lose the answer, and a proxy would make it a 502.
test('a client that sends too long a body gets its 413, and can use the connection again', async () => {
  await using gateway = await startTestGateway(NOWHERE);
  await using connection = await connectTo(gateway.url);
  const { socket, statuses } = connection;

  socket.write(head(`Content-Length: ${LENGTH}`));
  socket.write('x'.repeat(LENGTH / 2));
  await expect.poll(statuses).toEqual(['413']);
  socket.write('x'.repeat(LENGTH / 2));
  const body = '{"query":"{ __typename }"}';
  socket.write(head(`Content-Length: ${body.length}`) + body);

  await expect.poll(statuses).toEqual(['413', '200']);
});

test.each(['Transfer-Encoding: chunked', 'Content-Length: 100000000'])(
  'a body without an end is not read further: %s',
  async (header) => {
    await using gateway = await startTestGateway(NOWHERE);
    await using connection = await connectTo(gateway.url);
    const { socket, isClosed } = connection;

    socket.write(head(header));
    socket.write(`${LENGTH.toString(16)}\r\n${'x'.repeat(LENGTH)}\r\n`);

    await expect.poll(isClosed).toBe(true);
  },
);
