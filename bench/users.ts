/**
 * Measures what connected users cost who do nothing: `npm run users`. Each has a token, a connection and a subscription to a
 * conversation of its own, of which nothing changes. docs/scaling.md computes with the figures.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readMetric } from '../test/support/metrics.ts';
import { startUpstream } from '../test/support/upstream.ts';
import { wireMessage, wirePage } from '../test/support/wire.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { MEGABYTE } from './memory.ts';
import { cpuMs } from './performance/processes.ts';

const USERS = 2000;
/** How many connect at once. */
const AT_ONCE = 50;
/** Watches look ever more rarely, and after a minute every 15 seconds. Unit: milliseconds. */
const CALM_MS = 75_000;
const MEASURED_MS = 60_000;

const PAGE = wirePage(
  Array.from({ length: 100 }, (_, index) => wireMessage(`m${index}`)),
);

/** Subscribes, and resolves when the stream has begun. */
async function subscribe(url: string, number: number): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify({
    query: `subscription { messageChanged(conversationId: "c${number}") { kind message { message } } }`,
  });
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer user-${number}\r\n` +
      `accept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const answer = await new Promise<string>((resolve, reject) => {
    socket.once('data', (chunk) => resolve(chunk.toString()));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  if (!answer.startsWith('HTTP/1.1 200')) throw new Error(answer);
  socket.resume();
  return socket;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

await using upstream = await startUpstream(() => ({ body: PAGE }));
await using gateway = await startGatewayProcess(upstream.url, {
  MAX_SUBSCRIPTIONS: `${USERS * 2}`,
});
const looksOf = async () => {
  const counts = await readMetric(gateway, 'gateway_live_looks_total');
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
};
const sockets: Socket[] = [await subscribe(gateway.url, 0)];
await sleep(1000);
const before = gateway.memory();
for (let number = 1; number < USERS; number += AT_ONCE) {
  const some = Array.from({ length: AT_ONCE }, (_, index) => number + index);
  sockets.push(...(await Promise.all(some.map((one) => subscribe(gateway.url, one)))));
}
say(`${sockets.length} users are connected`);
await sleep(CALM_MS);
const [looks, cpu, began] = [await looksOf(), cpuMs(gateway.pid), performance.now()];
await sleep(MEASURED_MS);
const seconds = (performance.now() - began) / 1000;
const looked = (await looksOf()) - looks;
const used = cpuMs(gateway.pid) - cpu;
const bytes = (gateway.memory() - before) / sockets.length;
const open = (await readMetric(gateway, 'gateway_live_subscriptions'))[''];
say(`${open} subscriptions, ${(gateway.memory() / MEGABYTE).toFixed(0)} MB in all`);
say(`memory for one user: ${(bytes / 1024).toFixed(1)} KB`);
say(
  `looks for one user: ${((looked / sockets.length / seconds) * 60).toFixed(2)} a minute`,
);
say(`CPU for one look: ${(used / looked).toFixed(3)} ms`);
say(
  `CPU for one user: ${((used / sockets.length / seconds) * 60).toFixed(2)} ms a minute`,
);
for (const socket of sockets) socket.destroy();
