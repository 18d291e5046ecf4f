import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type CallerId, toNetwork } from '../callers/caller-id.ts';
import { Rounds } from '../callers/rounds.ts';
import type { Incoming } from './incoming.ts';
import { giveToParser, readInParts } from './read-parts.ts';
import {
  addStranger,
  charge,
  enqueue,
  forgetStranger,
  nextTurns,
  type Stranger,
  strangerOf,
  takeStranger,
} from './strangers.ts';

/** A longer round, or a pause, cuts the next to one connection; then the number doubles each round. Unit: milliseconds. */
const ROUND_MS = 4;
const MOST_AT_ONCE = 64;
/**
 * So many strangers have their turns together at least: most send nothing, and what others send after the first waits unparsed.
 * While accepted callers send, it is the lower number, because 64 KiB may be read of each.
 */
const STRANGERS_AT_ONCE = 8;
const STRANGERS_BESIDE_OTHERS = 2;
/**
 * After strangers were read for this long in one round, they wait for turns, which begin after a pause of the time they took.
 * Unit: milliseconds.
 */
const STRANGERS_MS = 1;
/** The pause is this many times longer while accepted callers send: strangers then get a quarter of the time, or less. */
const PAUSE_BESIDE_OTHERS = 3;
/** The most time between two reads that a stranger is charged for: others may have worked meanwhile. Unit: milliseconds. */
const MOST_BETWEEN_READS_MS = 8;
/** How much of a stranger is parsed before the next look at the clock. Unit: bytes. */
const STRANGERS_PART_BYTES = 4096;
/**
 * While accepted callers send, reading this much of strangers counts as a millisecond more: what is read becomes garbage soon,
 * and each 10 MB of it make V8 stop for some 20 ms to collect it. Unit: bytes.
 */
const BYTES_PER_MS = 8192;
/** After their last request, accepted callers count as sending for this time. Unit: milliseconds. */
const SENDING_MS = 1000;

const accepted = new Rounds<Socket>();
/** Connections of which no more is read until their turn. */
const paused = new Set<Socket>();

/**
 * Lets the server read from new connections in turns: Node would read from all that have sent something, up to 64 KiB each,
 * before it does anything else.
 */
export const acceptInTurns = (
  server: Server,
  incoming: Incoming,
  isDraining: () => boolean,
): Server =>
  server.on('connection', (socket) => {
    isAnyNew = true;
    const { sender } = addStranger(socket);
    socket.once('close', () => {
      forgetStranger(socket);
      accepted.remove(toShareKey(socket), socket);
      paused.delete(socket);
    });
    readInParts(
      socket,
      incoming.open(sender, () => socket.destroy()),
      {
        begin: () => noteRead(socket, 0),
        noteRead(bytes) {
          const stranger = strangerOf(socket);
          if (stranger !== undefined) stranger.turn = null;
          // While the server stops, what it does not read soon is lost, so that strangers are charged for time alone.
          noteRead(socket, isDraining() ? 0 : bytes);
        },
        isWaiting: () => paused.has(socket),
        partBytes: () =>
          strangerOf(socket) ? STRANGERS_PART_BYTES : Number.POSITIVE_INFINITY,
        wait: () => readInTurn(socket),
      },
    );
    // In the next tick, Node begins to read from a connection even if it is paused before that.
    process.nextTick(readInTurn, socket);
  });

/** Whether a connection was accepted since the last question. Node accepts one in each round of the event loop. */
let isAnyNew = false;

/** Whether connections wait to be read, or one was accepted since this was last asked. */
export function isReading(): boolean {
  const isNew = isAnyNew;
  isAnyNew = false;
  return isNew || paused.size > 0;
}

const toShareKey = (socket: Socket) => ({
  share: toNetwork(socket.remoteAddress),
  subgroup: null,
});

/**
 * Ends a connection's time as a stranger's if the service has accepted the caller's token, or does so before this answer is sent.
 */
export function trust(
  socket: Socket,
  caller: Pick<CallerId, 'isAccepted' | 'name'>,
  response: ServerResponse | null,
): void {
  const stranger = strangerOf(socket);
  if (stranger === undefined) {
    // It may be read by the parser itself, which notes nothing.
    noteRead(socket, 0);
    return;
  }
  if (!caller.isAccepted) {
    response?.once('finish', () => trust(socket, caller, null));
    return;
  }
  stranger.sender.name = caller.name;
  forgetStranger(socket);
  giveToParser(socket);
  resume(socket);
}

/** Whether something of a stranger was read in this round, and how long strangers were read. Unit: milliseconds. */
let isStrangersRound = false;
let readMs = 0;
let lastRead = 0;
/** What the bytes of strangers count for in this round. Unit: milliseconds. */
let bytesMs = 0;
let lastAccepted = Number.NEGATIVE_INFINITY;
/** The stranger read last; null: it was no stranger. */
let lastStranger: Stranger | null = null;
/** The strangers of which something was read in this round. */
const senders = new Set<Socket>();
/** Whether strangers that send wait. */
let areStrangersDone = false;
let pausedUntil = 0;

/**
 * Notes that a connection was read, or its bytes handed on. After STRANGERS_MS of strangers in a round, all that sent something
 * wait for turns, this one too. Silent ones do not: with thousands of them, turns would come rarely.
 */
function noteRead(socket: Socket, bytes: number): void {
  const now = performance.now();
  const stranger = strangerOf(socket);
  if (lastStranger !== null) {
    const ms = Math.min(now - lastRead, MOST_BETWEEN_READS_MS);
    readMs += ms;
    charge(lastStranger, ms);
  }
  lastRead = now;
  lastStranger = stranger ?? null;
  if (stranger === undefined) {
    lastAccepted = now;
    return;
  }
  if (!isStrangersRound) setImmediate(endReads);
  isStrangersRound = true;
  if (areOthersSending(now)) {
    bytesMs += bytes / BYTES_PER_MS;
    charge(stranger, bytes / BYTES_PER_MS);
  }
  senders.add(socket);
  areStrangersDone ||= now < pausedUntil || readMs + bytesMs >= STRANGERS_MS;
  if (!areStrangersDone) return;
  for (const each of senders) readInTurn(each);
  senders.clear();
}

const areOthersSending = (now: number) => now - lastAccepted < SENDING_MS;

/** Node has read what there is in this round. */
function endReads(): void {
  if (!isStrangersRound) return;
  isStrangersRound = false;
  const now = performance.now();
  const times = areOthersSending(now) ? PAUSE_BESIDE_OTHERS : 1;
  const pause = (readMs + bytesMs) * times;
  if (areStrangersDone) pausedUntil = Math.max(pausedUntil, now + pause);
  readMs = 0;
  senders.clear();
  bytesMs = 0;
  lastStranger = null;
  areStrangersDone = false;
}

/** Reads on from a connection at its turn. If it waits already, it keeps its place. */
export function readInTurn(socket: Socket): void {
  if (paused.has(socket)) return;
  paused.add(socket);
  socket.pause();
  const stranger = strangerOf(socket);
  if (stranger === undefined) accepted.add(toShareKey(socket), socket);
  else enqueue(stranger);
  if (!isRoundNext) beginRound();
}

let isRoundNext = false;
/** How many strangers, and how many others, are read in a round: more while rounds are short. */
let atOnce = 1;
let began = 0;

function beginRound(): void {
  isRoundNext = true;
  began = performance.now();
  if (began < pausedUntil && accepted.size === 0) setTimeout(readNextRound, 1);
  else setImmediate(readNextRound);
}

function readNextRound(): void {
  endReads();
  const now = performance.now();
  const arePaused = now < pausedUntil;
  if (now - began >= ROUND_MS) atOnce = 1;
  for (let left = atOnce; left > 0; left -= 1) resume(accepted.take());
  const least = areOthersSending(now) ? STRANGERS_BESIDE_OTHERS : STRANGERS_AT_ONCE;
  const strangersNow = arePaused ? 0 : Math.max(atOnce, least);
  nextTurns();
  for (let left = strangersNow; left > 0; left -= 1) resume(takeStranger());
  atOnce = arePaused ? 1 : Math.min(2 * atOnce, MOST_AT_ONCE);
  isRoundNext = false;
  if (paused.size > 0) beginRound();
  else atOnce = 1;
}

function resume(socket: Socket | null): void {
  if (socket === null || !paused.delete(socket)) return;
  // Resumed without a listener, early bytes of a WebSocket are lost.
  if (socket.listenerCount('data') > 0) socket.resume();
}
