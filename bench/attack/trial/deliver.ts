import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '../genome/genome.ts';
import type { AttackRequest } from '../genome/request.ts';
import type { Seen } from './client.ts';

/** How long the attacker keeps a connection whose request or whose reading never ends. Unit: milliseconds. */
export const HOLDS_FOR = 1200;
/** How a slow body is sent. */
const PARTS = 20;
const PART_MS = 30;
/** OPERATION_TIMEOUT_MS is 30 seconds by default. Unit: milliseconds. */
const ANSWERED_WITHIN = 60_000;

/** Sends a request whose body comes slowly, in chunks of one byte, or never as a whole, over a connection of its own. */
export async function deliver(
  url: string,
  { method, path, headers, body }: AttackRequest,
  delivery: Exclude<Transport['delivery'], 'whole'>,
): Promise<Seen> {
  const began = performance.now();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let head = '';
  let answerBytes = 0;
  socket.on('error', () => end());
  socket.on('close', () => end());
  socket.on('data', (part: Buffer) => {
    answerBytes += part.length;
    if (head.length < 2000) head += part.toString('latin1', 0, 2000);
  });
  const isChunked = delivery === 'byte by byte';
  const { 'content-length': _, ...others } = headers;
  const sent = {
    ...(isChunked ? others : headers),
    host: 'gateway',
    connection: 'close',
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  const chunked = isChunked ? 'transfer-encoding: chunked\r\n' : '';
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${chunked}\r\n`);
  if (delivery === 'byte by byte') socket.write(inSingleBytes(body));
  else if (delivery === 'cut') socket.write(body.subarray(0, body.length - 1));
  else await writeSlowly((part) => socket.write(part), body);

  const waits = delivery === 'cut' ? HOLDS_FOR : ANSWERED_WITHIN;
  const ofWait = AbortSignal.timeout(waits);
  ofWait.addEventListener('abort', () => socket.destroy());
  await ended;
  socket.destroy();
  const [, status = null] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? [];
  const [, code = null] = /"code":"(\w+)"/.exec(head) ?? [];
  const isLate = delivery !== 'cut' && ofWait.aborted;
  const ms = performance.now() - began;
  return {
    status: status === null ? null : Number(status),
    answerBytes,
    code,
    ms,
    isLate,
  };
}

async function writeSlowly(write: (part: Buffer) => void, body: Buffer): Promise<void> {
  const size = Math.ceil(body.length / PARTS);
  for (let at = 0; at < body.length; at += size) {
    write(body.subarray(at, at + size));
    await sleep(PART_MS);
  }
}

/** Each byte as a chunk of its own: `1\r\n`, the byte, `\r\n`. */
function inSingleBytes(body: Buffer): Buffer {
  const chunks = Buffer.alloc(body.length * 6, '1\r\n?\r\n');
  for (let index = 0; index < body.length; index += 1)
    chunks[index * 6 + 3] = body[index] ?? 0;
  return Buffer.concat([chunks, Buffer.from('0\r\n\r\n')]);
}
