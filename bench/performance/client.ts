/**
 * An HTTP client on a socket, for one request at a time. It uses as little CPU as possible, because the load generator
 * shares a core with the service.
 */
import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';
const LINE_END = '\r\n';

export interface Answer {
  readonly status: number;
  /** Its `Content-Encoding`; empty: none. */
  readonly encoding: string;
  readonly body: Buffer;
  /** Whether the server closes the connection after it. */
  readonly isLast: boolean;
}

export interface Connection {
  readonly isOpen: boolean;
  /** Sends a whole request and waits for its answer. */
  ask(request: string): Promise<Answer>;
  close(): void;
}

export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await opened(socket);
  let waiting: PromiseWithResolvers<Answer> | null = null;
  let received: Buffer | null = null;
  let isOpen = true;
  const end = (error: Error) => {
    isOpen = false;
    socket.destroy();
    waiting?.reject(error);
    waiting = null;
  };
  socket.on('error', end);
  socket.on('close', () => end(new Error('the connection closed before the answer')));
  socket.on('data', (chunk) => {
    received = received === null ? chunk : Buffer.concat([received, chunk]);
    let answer: Answer | null;
    try {
      answer = parse(received);
    } catch (error) {
      return end(error as Error);
    }
    if (answer === null) return;
    received = null;
    if (answer.isLast) isOpen = false;
    const { resolve } = waiting ?? {};
    waiting = null;
    resolve?.(answer);
  });
  return {
    get isOpen() {
      return isOpen;
    },
    ask(request) {
      waiting = Promise.withResolvers();
      socket.write(request);
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}

function opened(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve();
    });
  });
}

/** Reads an answer, or null as long as it is not complete. */
export function parse(bytes: Buffer): Answer | null {
  const headLength = bytes.indexOf(END_OF_HEAD);
  if (headLength === -1) return null;
  const head = bytes.toString('latin1', 0, headLength);
  const status = Number(head.slice(9, 12));
  const body = bytes.subarray(headLength + END_OF_HEAD.length);
  const [, encoding = ''] = /content-encoding: *(\w+)/i.exec(head) ?? [];
  const isLast = /connection: *close/i.test(head);
  const length = /content-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    return body.length < Number(length) ? null : { status, encoding, body, isLast };
  }
  const joined = joinChunks(body);
  return joined && { status, encoding, body: joined, isLast };
}

/** The content of a body in HTTP's chunks, or null as long as the last one is missing. */
function joinChunks(body: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf(LINE_END, at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error('an answer without a length or chunks');
    const start = lineEnd + LINE_END.length;
    const end = start + size + LINE_END.length;
    if (end > body.length) return null;
    if (size === 0) return Buffer.concat(parts);
    parts.push(body.subarray(start, start + size));
    at = end;
  }
}
