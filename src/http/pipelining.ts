import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ForwardedNames, nameOf } from './forwarded.ts';
import type { Incoming, IncomingAccount } from './incoming.ts';
import { BYTES_PER_REQUEST } from './limits.ts';

/** Requests of one connection that wait for the answers to those before. */
interface PipelinedRequests {
  count: number;
  readonly held: IncomingAccount;
  /** What runs when the connection is closed. */
  readonly closing: readonly (() => void)[];
}

const waiting = new Map<Socket, PipelinedRequests>();
/** Clients that do not wait for answers send some ten or twenty requests ahead. */
const MAX_WAITING = 64;

/**
 * A request of the gateway's own server. Node parses all requests of one read, perhaps thousands, even after their connection
 * is destroyed, but stops at an upgrade. So the first request too many pretends to be one; see `closeIfFull`.
 */
export class CountedRequest extends IncomingMessage {
  constructor(socket: Socket) {
    super(socket);
    if (isFull(socket))
      Object.defineProperty(this, 'upgrade', { get: () => true, set() {} });
  }
}

const isFull = (socket: Socket): boolean =>
  (waiting.get(socket)?.count ?? 0) >= MAX_WAITING;

/** Closes a connection of which too many requests wait. To be called when a request changes the protocol. */
export function closeIfFull(socket: Socket): boolean {
  if (!isFull(socket)) return false;
  // Node has removed one, which releases the requests: restore it.
  const left = socket.listeners('close');
  for (const one of waiting.get(socket)?.closing ?? [])
    if (!left.includes(one)) socket.once('close', one);
  socket.destroy();
  return true;
}

/** Node resumes a connection whenever a request has come whole, also if it is paused. */
function pause(this: Socket): void {
  this.pause();
}

/**
 * Answers pipelined requests one after another: Node would begin all of them, and keep each answer until the client has read
 * the earlier ones. While one waits, the connection is still read, to notice that the client leaves; while more wait, it is
 * not. Waiting requests count as incoming; without room for them, or with more than allowed, the connection is closed.
 * Undefined: this request need not wait.
 */
export function limitPipelining(
  incoming: Incoming,
  { socket, headers, httpVersionMajor }: IncomingMessage,
  response: ServerResponse,
  forwarded: ForwardedNames,
): Promise<void> | undefined {
  // Node gives a response its socket when its turn has come. Over HTTP/2, no response waits for another one.
  if (response.socket !== null || httpVersionMajor > 1) return undefined;
  const own =
    waiting.get(socket) ?? open(incoming, socket, nameOf(headers, forwarded) ?? null);
  const count = (change: number) => {
    own.count += change;
    if (!own.held.hold(own.count * BYTES_PER_REQUEST)) socket.destroy();
  };
  count(1);
  if (own.count === 2) socket.off('resume', pause).on('resume', pause).pause();
  return new Promise((begin) => {
    response.once('socket', () => {
      count(-1);
      if (own.count === 0) socket.off('resume', pause).resume();
      begin();
    });
  });
}

function open(
  incoming: Incoming,
  socket: Socket,
  name: string | null,
): PipelinedRequests {
  const sender = { name, address: socket.remoteAddress };
  const held = incoming.open(sender, () => socket.destroy());
  const own = { count: 0, held, closing: socket.listeners('close') as (() => void)[] };
  waiting.set(socket, own);
  socket.once('close', () => {
    waiting.delete(socket);
    held.end();
  });
  return own;
}
