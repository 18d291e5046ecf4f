import type { Socket } from 'node:net';
import type { IncomingAccount } from './incoming.ts';

/** Decides when a connection is read. */
interface Turns {
  /** To be called before something is handed on: it may have to wait. */
  begin(): void;
  /** Call after each part was handed on. `bytes`: the size of the whole read with its first part, then 0. */
  noteRead(bytes: number): void;
  /** Whether it waits for its turn. */
  isWaiting(): boolean;
  /** How much is handed on before the next look at the clock. Unit: bytes. */
  partBytes(): number;
  /** More is there to be read: it shall wait for its next turn. */
  wait(): void;
}

/** Node reads at most this much at once; if it was as much, more is there. Unit: bytes. */
const READ_BYTES = 65_536;

/** A connection of our own server. Node does not document these fields. */
interface ParsedSocket extends Socket {
  /** Null: the connection has changed its protocol, or is closed. */
  readonly parser: NodeParser | null;
  readonly _handle: object | null;
}

interface NodeParser {
  /** Whether it takes what is read from the connection itself. */
  _consumed: boolean;
  consume(handle: object): void;
}

interface ConnectionReader {
  toParser(): void;
  fromParser(): void;
}

const readers = new WeakMap<Socket, ConnectionReader>();

/**
 * Lets Node's parser read from a connection itself, as it does in other servers: that takes less time, because no buffer is made
 * for what is read. For connections of accepted callers.
 */
export const giveToParser = (socket: Socket): void => readers.get(socket)?.toParser();

/** Undoes `giveToParser` for good: a connection that sends much, or in tiny chunks, waits for its turns from now on. */
export const takeFromParser = (socket: Socket): void => readers.get(socket)?.fromParser();

/**
 * Hands the bytes read from a connection to Node's parser, or `ws`, in parts while its turn lasts: of each part, the parser
 * handles every chunk, frame and request before anything else runs. Waiting bytes count as incoming.
 */
export function readInParts(socket: Socket, held: IncomingAccount, turns: Turns): void {
  unconsume(socket);
  let rest: Buffer | null = null;
  let isParsers = false;
  const { push, _read } = socket;

  function toParser(): void {
    isParsers = true;
    // The parser gets the rest first.
    if (rest === null) consume(socket as ParsedSocket);
  }

  /** Returns whether Node shall read on at once. */
  function handOn(bytes: number): boolean {
    let isWanted = true;
    let unnoted = bytes;
    turns.begin();
    while (rest !== null && !turns.isWaiting() && !socket.isPaused()) {
      const most = turns.partBytes();
      const part = rest.length > most ? rest.subarray(0, most) : rest;
      rest = rest.length > most ? rest.subarray(most) : null;
      isWanted = push.call(socket, part);
      turns.noteRead(unnoted);
      unnoted = 0;
    }
    if (!held.hold(rest?.length ?? 0)) socket.destroy();
    if (isParsers) toParser();
    return isWanted && rest === null;
  }

  readers.set(socket, {
    toParser,
    fromParser() {
      // It is not given later either.
      readers.delete(socket);
      if (!isParsers) return;
      isParsers = false;
      unconsume(socket);
      // Otherwise up to 2 MiB of what has come would be read at once.
      turns.wait();
    },
  });
  // Node calls this when it would read more.
  socket._read = (size) => {
    if (rest === null) _read.call(socket, size);
  };
  // Node calls this with what it has read; null: the client has ended its side.
  socket.push = (read: Buffer | null) => {
    if (read === null) return push.call(socket, null);
    rest = rest === null ? read : Buffer.concat([rest, read]);
    const isWanted = handOn(read.length);
    if (read.length < READ_BYTES) return isWanted;
    turns.wait();
    return false;
  };
  socket.on('resume', () => {
    // Node resumes a connection whenever a request has come whole, also while it waits here.
    if (turns.isWaiting()) socket.pause();
    // Other listeners may pause it again.
    else if (rest !== null) process.nextTick(handOn, 0);
  });
  socket.once('close', () => {
    rest = null;
    held.end();
  });
}

function consume({ parser, _handle }: ParsedSocket): void {
  if (parser === null || _handle === null || parser._consumed) return;
  parser._consumed = true;
  parser.consume(_handle);
}

/** Node's parser takes what is read from the connection itself, until something else listens. */
function unconsume(socket: Socket): void {
  const events = ['pause', 'resume'] as const;
  const before = events.map((event) => socket.rawListeners(event) as (() => void)[]);
  const listener = () => {};
  socket.on('data', listener).off('data', listener);
  // Node removed its own, which still start and stop reading. They go first again: a later one can then pause on 'resume'.
  events.forEach((event, at) => {
    for (const one of before[at] ?? []) socket.off(event, one).on(event, one);
  });
}
