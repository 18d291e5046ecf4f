import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE, post } from '../support/http.ts';

/** A connection over which a test writes. */
async function connectTo(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const state = { received: '', isClosed: false };
  socket.on('data', (part) => {
    state.received += part;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    state.isClosed = true;
  });
  return { socket, state, [Symbol.dispose]: () => void socket.destroy() };
}

const head = (header: string, path = '/graphql') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked';
const BAD_REQUEST = { errors: [{ extensions: { code: 'BAD_REQUEST' } }] };
const BODY = '{"query":"{ __typename }"}';

describe('a body', () => {
  test.each(['/graphql', '/nothing'])(
    'in thousands of tiny chunks is refused, and its connection closed: %s',
    async (path) => {
      await using gateway = await startTestGateway(NOWHERE);
      using connection = await connectTo(gateway.url);

      connection.socket.write(head(CHUNKED, path) + '1\r\n \r\n'.repeat(10_000));

      await expect.poll(() => connection.state.isClosed).toBe(true);
      expect(connection.state.received).toMatch(/^HTTP\/1\.1 (413|404) /);
    },
  );

  test.each([
    ['1,000 chunks of one byte', 1, 1000],
    ['5,000 chunks of 150 bytes', 150, 5000],
    ['250 chunks of 4 KB', 4096, 250],
  ])('in %s is read', async (_name, size, count) => {
    await using gateway = await startTestGateway(NOWHERE);
    using connection = await connectTo(gateway.url);
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

    connection.socket.write(
      head(`${CHUNKED}\r\nConnection: close`) +
        chunk(BODY) +
        chunk(' '.repeat(size)).repeat(count) +
        chunk('').replace('\r\n', '\r\n'),
    );

    await expect.poll(() => connection.state.received).toMatch(/"Query"/);
  });

  test('that comes byte by byte with its length is read', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    using connection = await connectTo(gateway.url);
    connection.socket.setNoDelay(true);

    connection.socket.write(head(`Content-Length: ${BODY.length}`));
    for (const character of BODY) {
      connection.socket.write(character);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }

    await expect.poll(() => connection.state.received).toMatch(/"Query"/);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['GZip', gzipSync],
    ['x-gzip', gzipSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('may be compressed with %s, within its bounds', async (encoding, compress) => {
    await using gateway = await startTestGateway(NOWHERE);
    const headers = { 'content-encoding': encoding };
    const send = (text: string, more = {}) =>
      post(gateway.url, compress(Buffer.from(text)), { ...headers, ...more });

    const read = await send(BODY);
    expect(await read.json()).toEqual({ data: { __typename: 'Query' } });
    expect((await send(BODY + ' '.repeat(1_000_000))).status).toBe(200);
    const bomb = await send(BODY + ' '.repeat(2_000_000));
    expect(bomb.status).toBe(413);
    expect(await bomb.json()).toMatchObject(BAD_REQUEST);
    expect((await post(gateway.url, '{{{', headers)).status).toBe(400);
    const twice = { 'content-encoding': `${encoding}, ${encoding}` };
    expect((await send(BODY, twice)).status).toBe(415);
  });
});

describe('bodies that never end', () => {
  test('make room after a second: the oldest are answered 429 and closed, and others are served', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const all: Awaited<ReturnType<typeof connectTo>>[] = [];
    for (let count = 0; count < 40; count += 1) {
      if (count === 30) await new Promise((resolve) => setTimeout(resolve, 1100));
      const connection = await connectTo(gateway.url);
      connection.socket.write(head('Content-Length: 1048576'));
      // As much as is needed for a buffer of the whole length.
      connection.socket.write(' '.repeat(600_000));
      all.push(connection);
    }
    const closed = () => all.filter(({ state }) => state.isClosed);

    // All may hold 32 MiB.
    await expect.poll(() => closed().length).toBeGreaterThanOrEqual(9);
    expect(closed().length).toBeLessThan(20);
    expect(closed()[0]?.state.received).toMatch(/^HTTP\/1\.1 429 /);
    expect(closed()[0]?.state.received).toMatch(/retry-after: 1\r\n/i);
    expect(closed()[0]?.state.received).toContain('"code":"OVERLOADED"');
    expect(all[0]?.state.isClosed).toBe(true);
    expect(all[39]?.state.isClosed).toBe(false);
    expect((await gateway.ask('{ __typename }')).status).toBe(200);
    const long = await post(gateway.url, BODY + ' '.repeat(900_000));
    expect(long.status).toBe(200);
    for (const { socket } of all) socket.destroy();
  });

  test('hold nothing any more when their clients have left', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    for (let round = 0; round < 4; round += 1) {
      const all = [];
      for (let count = 0; count < 20; count += 1) {
        const connection = await connectTo(gateway.url);
        connection.socket.write(head('Content-Length: 1048576') + ' '.repeat(600_000));
        all.push(connection);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(all.map(({ state }) => state.received)).toEqual(Array(20).fill(''));
      for (const { socket } of all) socket.destroy();
      await Promise.all(all.map(({ socket }) => socket.closed || once(socket, 'close')));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
});
