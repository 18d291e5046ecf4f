import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type CallerId, type Sharer, toNetwork } from '../rest/caller-id.ts';
import { Rounds } from '../rest/rounds.ts';

/** After a longer round of the event loop, one connection is read in the next; after others, twice as many. Unit: milliseconds. */
const ROUND_MS = 4;
const MOST_AT_ONCE = 64;
/**
 * Once strangers were read for this long in one round, all of them wait for their turns. These begin after a pause, which is as
 * long as strangers were read in that round. Unit: milliseconds.
 */
const STRANGERS_MS = 1;

/**
 * Connections of which no more is read until their turn: new ones, other strangers' ones, and those of accepted callers. Turns go
 * round between networks.
 */
const fresh = new Rounds<Socket>();
const waiting = new Rounds<Socket>();
const accepted = new Rounds<Socket>();

/** Where each of them waits, and of which network it is. */
const places = new Map<
  Socket,
  { readonly queue: Rounds<Socket>; readonly sharer: Sharer }
>();

/** Open connections over which no request of an accepted caller has come. */
const strangers = new Set<Socket>();

/**
 * Lets the server read from new connections in turns: Node would read from all that have sent something, up to 64 KiB each,
 * before it does anything else.
 */
export const acceptInTurns = (server: Server): Server =>
  server.on('connection', (socket) => {
    strangers.add(socket);
    socket.once('close', () => {
      strangers.delete(socket);
      const place = places.get(socket);
      place?.queue.remove(place.sharer, socket);
      places.delete(socket);
    });
    // Node resumes a connection whenever a request has come whole, also while it waits here.
    socket.on('resume', () => {
      if (places.has(socket)) socket.pause();
    });
    // In the next tick, Node begins to read from a connection even if it is paused before that.
    process.nextTick(waitIn, fresh, socket);
  });

/** Reads on from a connection after those that wait already. */
export const readInTurn = (socket: Socket): void =>
  waitIn(strangers.has(socket) ? waiting : accepted, socket);

/** A connection is no stranger's any more once a caller uses it whose token the service has accepted. */
export function trust(socket: Socket, caller: Pick<CallerId, 'isAccepted'>): void {
  if (strangers.has(socket) && caller.isAccepted) strangers.delete(socket);
}

/** When something of a stranger was first read in this round, and last; null: nothing was. */
let firstRead: number | null = null;
let lastRead = 0;
/** Whether all strangers wait. */
let isEnough = false;
let pausedUntil = 0;

/**
 * Something of this connection was read. Once strangers were read for STRANGERS_MS in this round, all strangers wait for their
 * turns, this one too.
 */
export function noteRead(socket: Socket): void {
  if (!strangers.has(socket)) return;
  lastRead = performance.now();
  if (firstRead === null) {
    firstRead = lastRead;
    setImmediate(endReads);
  } else if (!isEnough && lastRead - firstRead >= STRANGERS_MS) {
    isEnough = true;
    for (const each of strangers) waitIn(waiting, each);
  }
}

/** Node has read what there is in this round. */
function endReads(): void {
  if (firstRead === null) return;
  if (isEnough) pausedUntil = performance.now() + lastRead - firstRead;
  firstRead = null;
  isEnough = false;
}

/** Stops reading a connection until its turn. If it waits already, it keeps its place. */
function waitIn(queue: Rounds<Socket>, socket: Socket): void {
  if (places.has(socket)) return;
  socket.pause();
  const sharer = { share: toNetwork(socket.remoteAddress), within: null };
  places.set(socket, { queue, sharer });
  queue.add(sharer, socket);
  if (!isRoundNext) beginRound();
}

let isRoundNext = false;
/** How many strangers, and how many others, are read in a round: more while rounds are short. */
let atOnce = 1;
let began = 0;

function beginRound(): void {
  isRoundNext = true;
  began = performance.now();
  if (began < pausedUntil && accepted.size === 0) setTimeout(readNext, 1);
  else setImmediate(readNext);
}

function readNext(): void {
  endReads();
  const now = performance.now();
  atOnce = now - began < ROUND_MS ? Math.min(2 * atOnce, MOST_AT_ONCE) : 1;
  const arePaused = now < pausedUntil;
  if (arePaused) atOnce = 1;
  for (let left = atOnce; left > 0; left -= 1) {
    resume(accepted.take());
    if (!arePaused) resume(takeStranger());
  }
  isRoundNext = false;
  if (places.size > 0) beginRound();
}

function resume(socket: Socket | null): void {
  if (socket === null) return;
  places.delete(socket);
  socket.resume();
}

let isFreshNext = true;

/** New connections and others have their turns alternately, so that new ones do not wait behind those that send much. */
function takeStranger(): Socket | null {
  isFreshNext = !isFreshNext;
  return isFreshNext
    ? (fresh.take() ?? waiting.take())
    : (waiting.take() ?? fresh.take());
}
