import { describe, expect, test } from 'vitest';
import { turnOf } from '../../src/callers/thread.ts';
import { startGateway } from '../../src/gateway.ts';
import { keepLines } from '../library/support.ts';
import { accepted } from '../support/callers.ts';
import { ask } from '../support/gateway.ts';
import { openSocket } from '../support/socket.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const QUERY = 'query Waiting { message(id: "m1") { message } }';
/** How long the thread works for others. Unit: milliseconds. */
const BUSY_MS = 600;

/** Has a turn of many other callers wait, each of which works for some milliseconds. Returns whether any is left. */
function keepBusy(): () => boolean {
  let left = BUSY_MS / 6;
  const work = () => {
    const until = performance.now() + 6;
    while (performance.now() < until);
    left -= 1;
  };
  for (let index = 0; index < BUSY_MS / 6; index += 1) {
    const turn = turnOf(accepted(`other ${index}`));
    if (turn === undefined) work();
    else void turn.then(work);
  }
  return () => left > 0;
}

/**
 * Sends an operation while the thread is busy. Returns its result, whether that came while others waited, its line in the log,
 * and the calls it made.
 */
async function askWhileBusy(transport: string, operationTimeoutMs: number) {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1', { message: 'text m1' }),
  });
  const { lines, logger } = keepLines();
  await using gateway = await startGateway({
    messagingUrl: upstream.url,
    port: 0,
    logger,
    operationTimeoutMs,
  });
  using socket = await openSocket(gateway.url);
  const isBusy = keepBusy();
  let result: unknown;
  if (transport === 'HTTP') result = await ask(gateway.url, QUERY);
  else if (transport === 'a library')
    result = await gateway.execute({ query: QUERY, token: 'ann-token' });
  else {
    socket.subscribe('1', QUERY);
    result = await socket.next();
  }
  const cameEarly = isBusy();
  await expect.poll(isBusy).toBe(false);
  await expect.poll(() => lines.some(({ msg }) => msg === 'operation')).toBe(true);
  const line = lines.find(({ msg }) => msg === 'operation');
  return { result, cameEarly, line, calls: upstream.calls };
}

describe.each(['HTTP', 'a WebSocket', 'a library'])(
  'an operation over %s that waits for its turn of the thread',
  (transport) => {
    test('is timed from its arrival', async () => {
      const { line, calls } = await askWhileBusy(transport, 30_000);

      expect(line).toMatchObject({ operation: 'Waiting', codes: [] });
      expect(line?.durationMs).toBeGreaterThan(BUSY_MS / 2);
      expect(calls).toHaveLength(1);
    });

    test('has the error of its timeout when its time is up, and makes no call', async () => {
      const { result, cameEarly, line, calls } = await askWhileBusy(
        transport,
        BUSY_MS / 4,
      );

      expect(cameEarly).toBe(true);
      expect(JSON.stringify(result)).toContain(
        `${BUSY_MS / 4} ms (OPERATION_TIMEOUT_MS)`,
      );
      expect(line).toMatchObject({ codes: ['UPSTREAM_TIMEOUT'], restCalls: 0 });
      expect(calls).toEqual([]);
    });
  },
);
