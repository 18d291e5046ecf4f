/**
 * The service that the targets ask, in a process of its own. It must cost as little as possible, because it shares a
 * core with the load generator: it reads sockets itself, and writes answers that were made before.
 *
 * Messages it takes: `reset`, and `report`, which it answers with a ServiceReport. It ends with its parent.
 */
import { createServer, type Socket } from 'node:net';
import { answer } from './sample.ts';

export interface ServiceReport {
  readonly calls: number;
  /** The first requests that it could not answer, or that had no token. */
  readonly refused: readonly string[];
}

const END_OF_HEAD = '\r\n\r\n';
const MAX_REFUSED = 5;
const REFUSAL = Buffer.from('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');

/** Whole answers by method and target. Bounded by the sample data. */
const prepared = new Map<string, Buffer>();
let calls = 0;
let refused: string[] = [];

function prepare(line: string): Buffer {
  const [method = '', target = ''] = line.split(' ');
  const text = answer(method, target);
  if (text === null) return REFUSAL;
  const status = method === 'POST' ? '201 Created' : '200 OK';
  return Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/** The answer to one request, whose head this is. */
function respond(head: string): Buffer {
  calls += 1;
  const line = head.slice(0, head.indexOf(' HTTP/'));
  let bytes = prepared.get(line);
  if (bytes === undefined) {
    bytes = prepare(line);
    prepared.set(line, bytes);
  }
  if (bytes !== REFUSAL && head.includes('uthorization: Bearer ')) return bytes;
  if (refused.length < MAX_REFUSED) refused.push(line);
  return REFUSAL;
}

/** Length of the body that follows a head. Unit: bytes. */
function bodyLength(head: string): number {
  if (head.startsWith('GET ')) return 0;
  return Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
}

function serve(socket: Socket): void {
  let pending = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    for (;;) {
      const headLength = pending.indexOf(END_OF_HEAD);
      if (headLength === -1) return;
      const head = pending.slice(0, headLength);
      const length = headLength + END_OF_HEAD.length + bodyLength(head);
      if (pending.length < length) return;
      pending = pending.slice(length);
      // Some clients close each connection after one answer, and say so.
      if (/connection: close/i.test(head)) socket.end(respond(head));
      else socket.write(respond(head));
    }
  });
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ port: address?.port });
});
process.on('message', (text) => {
  if (text === 'report') process.send?.({ calls, refused } satisfies ServiceReport);
  if (text === 'reset') {
    calls = 0;
    refused = [];
    process.send?.({});
  }
});
process.on('disconnect', () => process.exit(0));
