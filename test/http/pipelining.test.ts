import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { limitPipelining } from '../../src/http/pipelining.ts';
import { connectTo, serve } from '../support/http.ts';

// security: pipelined-requests
test('a connection is not read while requests of it wait for the answers to those before', async () => {
  let waiting = 0;
  let mostWaiting = 0;
  let answered = 0;
  const held = { hold: () => true, end() {} };
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using server = await serve(async (request, response) => {
    waiting += 1;
    mostWaiting = Math.max(mostWaiting, waiting);
    await limitPipelining({ open: () => held }, request, response, null);
    await released;
    waiting -= 1;
    answered += 1;
    response.end();
  });
  const client = connectTo(server.url).resume();
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

  client.write(request);
  await expect.poll(() => waiting).toBe(1);
  client.write(request.repeat(10_000));
  await sleep(300);
  release();
  await expect.poll(() => answered).toBe(10_001);

  // Node reads 64 KiB at once.
  expect(mostWaiting).toBeLessThanOrEqual(1 + 65_536 / request.length);
  client.destroy();
});
