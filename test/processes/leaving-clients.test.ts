import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startScriptedProcess } from '../support/gateway-process.ts';
import { wireMessage } from '../support/wire.ts';

const QUERY = JSON.stringify({ query: '{ message(id: "m1") { message } }' });
const LONG_QUERY = JSON.stringify({
  query: `{ ${Array.from({ length: 25 }, (_, i) => `a${i}: message(id: "m1") { message }`).join(' ')} }`,
});

const post = (body: string, length = body.length, more = '') =>
  `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ann\r\nContent-Type: application/json\r\n${more}Content-Length: ${length}\r\n\r\n${body}`;
const chunked = (size: string, chunk: string) =>
  `POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\n${chunk}`;
const STREAM = 'Accept: text/event-stream\r\n';

/** Sends a text and leaves: after so long a time, or when so many bytes have come. */
async function leave(
  url: string,
  text: string,
  { afterMs = 0, afterBytes = 0, abruptly = true },
): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
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
  const gzip = 'Accept-Encoding: gzip\r\n';
  const requests: [string, number][] = [
    [post('{"query"', 100), 0],
    [post('{"query"', 100_000), 0],
    [chunked('FFFF', '{"query"'), 0],
    [post(QUERY), 0],
    [post(QUERY, undefined, gzip), 0],
    [post(QUERY, undefined, STREAM), 0],
    [post(`${QUERY}${' '.repeat(9000)}`), 0],
    [post(LONG_QUERY), 1],
    [post(LONG_QUERY, undefined, gzip), 1],
    [post(LONG_QUERY, undefined, gzip + STREAM), 1],
    [post(LONG_QUERY), 100_000],
    [post(LONG_QUERY, undefined, gzip), 5000],
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
