import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { readMetric } from '../support/metrics.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

/** More than the buffers of a connection over the loopback hold. */
const ANSWER_BYTES = 15_000_000;
const BODY = JSON.stringify({
  query: `{ ${Array.from({ length: 25 }, (_, i) => `a${i}: message(id: "m1") { message }`).join(' ')} }`,
});

const startLongService = () =>
  startUpstream({
    'GET /v1/messages/m1': {
      ...wireMessage('m1'),
      message: 'x'.repeat(ANSWER_BYTES / 25),
    },
  });

/** Asks for a long answer, waits until it begins, and reads no more of it. */
async function askAndWait(url: string, requestId: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer secret-token\r\nX-Request-Id: ${requestId}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  );
  await once(socket, 'readable');
  return socket;
}

/** Reads until the end, or until the connection breaks. Unit: bytes. */
async function readRest(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (part) => {
    bytes += part.length;
  });
  if (!socket.closed) await once(socket, 'close');
  return bytes;
}

/** A connection that is not read notices only when it writes that the other side has closed it. */
function isClosed(socket: Socket): boolean {
  socket.write('\r\n');
  return socket.destroyed;
}

/**
 * Loaded before the gateway: its clock runs thirty times as fast. On that clock a timer that is late by 33 ms seems late by a
 * second, so the timer that measures the lag of the gateway does nothing.
 */
const FAST_CLOCK = `data:text/javascript,${encodeURIComponent(`
  const { setInterval, performance } = globalThis;
  const now = performance.now.bind(performance);
  performance.now = () => now() * 30;
  const LAG_PERIOD_MS = 500;
  globalThis.setInterval = (task, ms) =>
    setInterval(ms === LAG_PERIOD_MS ? () => {} : task, ms / 30);
`)}`;

describe('a client that does not read its answer', () => {
  test('is disconnected after 30 seconds, with one line of the log, and counted', async () => {
    await using upstream = await startLongService();
    // The clock is fast for the operation, too, which may take long on a busy machine.
    const timeouts = { REST_TIMEOUT_MS: '600000', OPERATION_TIMEOUT_MS: '600000' };
    await using gateway = await startGatewayProcess(upstream.url, timeouts, [
      '--import',
      FAST_CLOCK,
    ]);

    const socket = await askAndWait(gateway.url, 'slow-1');
    await expect.poll(() => isClosed(socket)).toBe(true);

    const lines = () => gateway.log().filter((line) => line.includes('did not read'));
    await expect.poll(lines).toHaveLength(1);
    const { level, requestId, reason, bytes, takenBytes } = JSON.parse(lines()[0] ?? '');
    expect({ level, requestId, reason }).toEqual({
      level: 40,
      requestId: 'slow-1',
      reason: 'time',
    });
    expect(bytes).toBeGreaterThan(ANSWER_BYTES);
    expect(takenBytes).toBeLessThan(bytes);
    expect(lines()[0]).not.toContain('secret-token');
    expect(await readMetric(gateway, 'gateway_slow_clients_total')).toEqual({
      '{reason="time"}': 1,
    });
  });

  test('makes room for others: at most 64 MiB wait to be sent', async () => {
    await using upstream = await startLongService();
    await using gateway = await startTestGateway(upstream.url);

    const sockets: Socket[] = [];
    for (let client = 0; client < 8; client += 1) {
      sockets.push(await askAndWait(gateway.url, `slow-${client}`));
    }
    const read = await Promise.all(sockets.map(readRest));

    const whole = read.map((bytes) => bytes > ANSWER_BYTES);
    expect(whole.filter(Boolean)).toHaveLength(4);
    expect(whole.at(-1)).toBe(true);
    expect(await readMetric(gateway, 'gateway_slow_clients_total')).toEqual({
      '{reason="room"}': 4,
    });
  });
});
