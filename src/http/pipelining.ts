import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toBearerToken } from './credentials.ts';
import type { Incoming, IncomingAccount } from './incoming.ts';
import { BYTES_PER_REQUEST } from './limits.ts';

/** Requests of one connection that wait for the answers to those before. */
interface Waiting {
  count: number;
  readonly held: IncomingAccount;
  /** What runs when the connection is closed. */
  readonly closing: readonly (() => void)[];
}

const waiting = new Map<Socket, Waiting>();
/** Clients that do not wait for answers send some ten or twenty requests ahead. */
const MAX_WAITING = 64;

/**
 * A request of the gateway's own server. Node parses all requests of a read, thousands, even if their connection is destroyed
 * meanwhile, but stops at one that changes the protocol. So the first that is too many looks like one; see `closeIfFull`.
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
  // Node has removed the one of these that lets go of the requests.
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
 * Lets a client send requests before the first is answered, but answers one after the other: Node would begin them all, and
 * keep each answer until the client has read those before it. While one waits, the connection is read, so that it is noticed
 * if the client leaves; while more wait, it is not. All that wait count as incoming, and the connection is closed if there is
 * no room for them, or if more wait than may. Returns undefined for a request that need not wait.
 */
export function limitPipelining(
  incoming: Incoming,
  { socket, headers, httpVersionMajor }: IncomingMessage,
  response: ServerResponse,
): Promise<void> | undefined {
  // Node gives a response its socket when its turn has come. Over HTTP/2, no response waits for another one.
  if (response.socket !== null || httpVersionMajor > 1) return undefined;
  const own = waiting.get(socket) ?? open(incoming, socket, headers.authorization);
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

function open(incoming: Incoming, socket: Socket, authorization?: string): Waiting {
  const sender = { token: toBearerToken(authorization), address: socket.remoteAddress };
  const held = incoming.open(sender, () => socket.destroy());
  const own = { count: 0, held, closing: socket.listeners('close') as (() => void)[] };
  waiting.set(socket, own);
  socket.once('close', () => {
    waiting.delete(socket);
    held.end();
  });
  return own;
}
