import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { askAndWait } from '../support/http.ts';
import { readMetric } from '../support/metrics.ts';
import { LONG_ANSWER_BYTES, LONG_QUERY, startLongService } from '../support/upstream.ts';

/** Reads until the end, or until the connection breaks. Unit: bytes. */
async function readRest(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (part) => {
    bytes += part.length;
  });
  if (!socket.closed) await once(socket, 'close');
  return bytes;
}

describe('a client that does not read its answer', () => {
  test('makes room for others: at most 64 MiB wait to be sent', async () => {
    await using upstream = await startLongService();
    await using gateway = await startTestGateway(upstream.url);

    const sockets: Socket[] = [];
    for (let client = 0; client < 8; client += 1) {
      sockets.push(await askAndWait(gateway.url, LONG_QUERY, `slow-${client}`));
    }
    const read = await Promise.all(sockets.map(readRest));

    const whole = read.map((bytes) => bytes > LONG_ANSWER_BYTES);
    expect(whole.filter(Boolean)).toHaveLength(4);
    expect(whole.at(-1)).toBe(true);
    expect(await readMetric(gateway, 'gateway_slow_clients_total')).toEqual({
      '{reason="room"}': 4,
    });
  });
});
