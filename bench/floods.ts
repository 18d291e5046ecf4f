/**
 * Measures what caller B gets beside clients without a valid token, who send what is slow to read or never ends. They are in a
 * thread of their own, so that their work delays neither B nor the service.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { WebSocket } from 'ws';
import { startUpstream } from '../test/support/upstream.ts';
import { wireMessage } from '../test/support/wire.ts';
import { measureBeside, toRow, USUAL_MS } from './fairness.ts';
import type { Row } from './faults.ts';

/** Their address: another network than that of B. */
const localAddress = '127.0.0.2';
const MEGABYTE = 1_040_000;
/** They send again so soon after the gateway has closed a connection. Unit: milliseconds. */
const AGAIN_MS = 20;
/** They close each connection after this time. Unit: milliseconds. */
const HELD_MS = 4000;

const toBody = (length: number): string =>
  JSON.stringify({
    query: 'query($x: ID!) { message(id: $x) { id } }',
    variables: { x: 'x'.repeat(length) },
  });

const HEAD = 'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const toChunks = (body: string): string =>
  body.replaceAll(/./g, (byte) => `1\r\n${byte}\r\n`);

/** Opens a connection and sends something. */
type Send = (url: URL) => Socket | WebSocket;

const sending = (text: string): Send => {
  const bytes = Buffer.from(text);
  return ({ port }) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
    socket.resume().write(bytes);
    return socket;
  };
};

const sendingToSocket =
  (send: (socket: WebSocket) => void): Send =>
  ({ host }) => {
    const url = `ws://${host}/graphql`;
    const socket = new WebSocket(url, 'graphql-transport-ws', { localAddress });
    return socket.once('open', () => send(socket));
  };

let made = 0;
const withMadeUpToken = sendingToSocket((socket) => {
  made += 1;
  const payload = { authorization: `Bearer made-up-${made}` };
  socket.send(JSON.stringify({ type: 'connection_init', payload }));
});
const long = Buffer.from(toBody(MEGABYTE));
const unfinished = sendingToSocket((socket) => socket.send(long, { fin: false }));
const withoutEnd = sending(
  `${HEAD}Content-Length: ${MEGABYTE * 2}\r\n\r\n${toBody(MEGABYTE)}`,
);
const inChunks = (length: number): Send =>
  sending(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${toChunks(toBody(length))}`);

/** How many connections of what. */
const FLOODS: readonly (readonly [number, string, Send])[] = [
  [5, 'bodies of 1 MB in chunks of one byte', inChunks(MEGABYTE)],
  [40, 'bodies of 170 KB in chunks of one byte', inChunks(170_000)],
  [1500, 'bodies of 1 MB that never end', withoutEnd],
  [100, 'messages of 1 MB over WebSockets that never end', unfinished],
  [1000, 'WebSockets with made-up tokens', withMadeUpToken],
];

/** Measures what B gets alone, and beside each flood. */
export async function measureFloods(): Promise<Row[]> {
  const body = wireMessage('b');
  await using service = await startUpstream(({ token }) =>
    token === 'Bearer b' ? { body, delayMs: USUAL_MS } : { status: 401 },
  );
  const rows: Row[] = [];
  for (const [index, [connections, what]] of FLOODS.entries()) {
    const given = [service.url, index];
    const measured = await measureBeside(fileURLToPath(import.meta.url), given);
    rows.push(toRow(`${connections} ${what}`, measured));
  }
  return rows;
}

async function keepSending(send: Send, url: URL, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const socket = send(url);
    const end = () => ('destroy' in socket ? socket.destroy() : socket.terminate());
    const timer = setTimeout(end, HELD_MS);
    signal.addEventListener('abort', end);
    socket.on('error', () => {});
    await once(socket, 'close').catch(() => {});
    signal.removeEventListener('abort', end);
    clearTimeout(timer);
    await sleep(AGAIN_MS);
  }
}

if (!isMainThread && parentPort !== null && Array.isArray(workerData)) {
  const [messagingUrl, index] = workerData;
  const [connections = 0, , send] = FLOODS[index] ?? [];
  parentPort.postMessage(messagingUrl);
  const [url] = await once(parentPort, 'message');
  const controller = new AbortController();
  const crowd = Array.from({ length: connections }, async (_, one) => {
    await sleep(one);
    if (send) await keepSending(send, new URL(url), controller.signal);
  });
  await once(parentPort, 'message');
  controller.abort();
  await Promise.all(crowd);
  parentPort.postMessage('stopped');
}
