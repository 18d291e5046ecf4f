import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startScriptedProcess } from '../support/gateway-process.ts';
import { connectTo, toHead, toPost } from '../support/http.ts';
import { LONG_QUERY } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const QUERY = '{ message(id: "m1") { message } }';

/** Sends a text and leaves: after so long a time, or when so many bytes have come. */
async function leave(
  url: string,
  text: string,
  { afterMs = 0, afterBytes = 0, abruptly = true },
): Promise<void> {
  const socket = connectTo(url);
  socket.write(text);
  let bytes = 0;
  if (afterBytes === 0) await setTimeout(afterMs);
  else
    await new Promise<void>((resolve) => {
      socket.on('data', (part) => {
        bytes += part.length;
        if (bytes >= afterBytes) resolve();
      });
      socket.on('close', () => resolve());
    });
  if (abruptly) socket.resetAndDestroy();
  else socket.destroy();
}

/** Before, while and after the service answers, and while its answer is compressed. Unit: milliseconds. */
const SERVICE_MS = 50;
const MOMENTS = [
  0,
  3,
  20,
  ...Array.from({ length: 40 }, (_, index) => SERVICE_MS + index),
];

test('a client that leaves is no error of the gateway, whenever and however it leaves', async () => {
  await using gateway = await startScriptedProcess(() => ({
    body: wireMessage('m1', { message: 'x'.repeat(600_000) }),
    delayMs: SERVICE_MS,
  }));
  const gzip = { 'Accept-Encoding': 'gzip' };
  const stream = { Accept: 'text/event-stream' };
  const begun = '{"query"';
  const requests: [string, number][] = [
    [toHead({ 'Content-Length': '100' }) + begun, 0],
    [toHead({ 'Content-Length': '100000' }) + begun, 0],
    [`${toHead({ 'Transfer-Encoding': 'chunked' })}FFFF\r\n${begun}`, 0],
    [toPost(QUERY), 0],
    [toPost(QUERY, gzip), 0],
    [toPost(QUERY, stream), 0],
    [toPost(`${QUERY}${' '.repeat(9000)}`), 0],
    [toPost(LONG_QUERY), 1],
    [toPost(LONG_QUERY, gzip), 1],
    [toPost(LONG_QUERY, { ...gzip, ...stream }), 1],
    [toPost(LONG_QUERY), 100_000],
    [toPost(LONG_QUERY, gzip), 5000],
    ['GET /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n', 1],
    ['GET /graphql/explorer/explorer.js HTTP/1.1\r\nHost: x\r\n\r\n', 1],
  ];

  for (const [text, afterBytes] of requests)
    for (const abruptly of [true, false])
      await Promise.all(
        (afterBytes === 0 ? MOMENTS : [0]).map((afterMs) =>
          leave(gateway.url, text, { afterMs, afterBytes, abruptly }),
        ),
      );
  const lines = await gateway.stop();

  expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
  expect(lines.some(({ msg }) => msg === 'operation')).toBe(true);
});
