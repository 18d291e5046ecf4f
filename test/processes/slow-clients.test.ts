import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { preload } from '../support/command.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { askAndWait } from '../support/http.ts';
import { readMetric } from '../support/metrics.ts';
import { LONG_ANSWER_BYTES, LONG_QUERY, startLongService } from '../support/upstream.ts';

/** A connection that is not read notices only when it writes that the other side has closed it. */
function isClosed(socket: Socket): boolean {
  socket.write('\r\n');
  return socket.destroyed;
}

/**
 * Loaded before the gateway: its clock runs thirty times as fast. On that clock a timer that is late by 33 ms seems late by a
 * second, so the timer that measures the lag of the gateway does nothing.
 */
const FAST_CLOCK = preload(`
  const { setInterval, performance } = globalThis;
  const now = performance.now.bind(performance);
  performance.now = () => now() * 30;
  const LAG_PERIOD_MS = 500;
  globalThis.setInterval = (task, ms) =>
    setInterval(ms === LAG_PERIOD_MS ? () => {} : task, ms / 30);
`);

describe('a client that does not read its answer', () => {
  // security: unread-answers
  test('is disconnected after 30 seconds, with one line of the log, and counted', async () => {
    await using upstream = await startLongService();
    // The clock is fast for the operation, too, which may take long on a busy machine.
    const timeouts = { REST_TIMEOUT_MS: '600000', OPERATION_TIMEOUT_MS: '600000' };
    await using gateway = await startGatewayProcess(upstream.url, timeouts, FAST_CLOCK);

    const socket = await askAndWait(gateway.url, LONG_QUERY, 'slow-1');
    await expect.poll(() => isClosed(socket)).toBe(true);

    const counted = await readMetric(gateway, 'gateway_slow_clients_total');
    const lines = (await gateway.stop()).filter(({ msg }) =>
      msg.includes('did not read'),
    );
    expect(lines).toMatchObject([{ level: 40, requestId: 'slow-1', reason: 'time' }]);
    const [{ bytes, takenBytes }] = lines;
    expect(bytes).toBeGreaterThan(LONG_ANSWER_BYTES);
    expect(takenBytes).toBeLessThan(bytes);
    expect(gateway.log().join()).not.toContain('secret-token');
    expect(counted).toEqual({ '{reason="time"}': 1 });
  });
});
