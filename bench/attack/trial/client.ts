import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '../case.ts';
import type { AttackRequest } from '../request.ts';
import { HOLDS_FOR, sendOverSocket } from './sockets.ts';

/** What one client saw. */
export interface Seen {
  /** Null if no answer began. */
  readonly status: number | null;
  /** With its head, as it arrived, so compressed if it was. Unit: bytes. */
  readonly answerBytes: number;
  /** The first error code of an answer that was not compressed; null if there is none in its beginning. */
  readonly code: string | null;
  /** No answer in the time that an operation may take, and some more. */
  readonly isLate: boolean;
}

/** OPERATION_TIMEOUT_MS is 30 seconds by default. Unit: milliseconds. */
const ANSWERED_WITHIN = 60_000;
/** How much of an answer is searched for its status and an error code. Unit: bytes. */
const SEARCHED = 2000;
/** How a slow body is sent. */
const PARTS = 20;
const PART_MS = 30;

/** Sends one request over a connection of its own, and treats the answer as its client does. */
export async function sendAttack(
  url: string,
  request: AttackRequest,
  transport: Transport,
): Promise<Seen> {
  const { over, delivery, client, leavesAfter } = transport;
  if (over !== 'HTTP') return sendOverSocket(url, request, transport);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let begin = '';
  let answerBytes = 0;
  let isLate = false;
  const closeAfter = (ms: number) => setTimeout(() => socket.destroy(), ms);
  const timers = [
    setTimeout(() => {
      isLate = true;
      socket.destroy();
    }, ANSWERED_WITHIN),
  ];
  if (client === 'leaves') timers.push(closeAfter(leavesAfter));
  if (delivery === 'cut') timers.push(closeAfter(HOLDS_FOR));
  socket.on('error', () => {});
  socket.on('data', (part: Buffer) => {
    answerBytes += part.length;
    if (begin.length < SEARCHED) begin += part.toString('latin1', 0, SEARCHED);
    if (client !== 'never reads') return;
    socket.pause();
    timers.push(closeAfter(HOLDS_FOR));
  });
  await write(socket, request, delivery);
  await closed;
  for (const timer of timers) clearTimeout(timer);
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(begin) ?? [];
  const [, code = null] = /"code":"(\w+)"/.exec(begin) ?? [];
  return {
    status: status === undefined ? null : Number(status),
    answerBytes,
    code,
    isLate,
  };
}

async function write(
  socket: Socket,
  { method, path, headers, body }: AttackRequest,
  delivery: Transport['delivery'],
): Promise<void> {
  const isChunked = delivery === 'byte by byte' && body.length > 0;
  const { 'content-length': length, ...others } = headers;
  const framing = isChunked
    ? { 'transfer-encoding': 'chunked' }
    : length !== undefined && { 'content-length': length };
  const lines = Object.entries({ ...others, ...framing, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  if (isChunked) socket.write(inSingleBytes(body));
  else if (delivery === 'cut') socket.write(body.subarray(0, -1));
  else if (delivery !== 'slowly') socket.write(body);
  else {
    const size = Math.ceil(body.length / PARTS);
    for (let at = 0; at < body.length; at += size) {
      socket.write(body.subarray(at, at + size));
      await sleep(PART_MS);
    }
  }
}

/** Each byte as a chunk of its own: `1\r\n`, the byte, `\r\n`. */
function inSingleBytes(body: Buffer): Buffer {
  const chunks = Buffer.alloc(body.length * 6, '1\r\n?\r\n');
  for (let index = 0; index < body.length; index += 1)
    chunks[index * 6 + 3] = body[index] ?? 0;
  return Buffer.concat([chunks, Buffer.from('0\r\n\r\n')]);
}
