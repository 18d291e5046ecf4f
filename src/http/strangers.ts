import type { Socket } from 'node:net';
import { toNetwork } from '../callers/caller-id.ts';

/** A turn counts as this much at least, also if nothing has come. Unit: milliseconds. */
const TURN_MS = 0.05;

/**
 * The most strangers that wait for turns. A waiting connection does not show that its client has left, and holds a descriptor
 * and, in the kernel, unread bytes.
 */
const MOST_WAITING = 2048;

/** An open connection over which no request of an accepted caller has come. */
export interface Stranger {
  readonly socket: Socket;
  readonly network: Network;
  /** Whose bytes those are that wait to be parsed: a stranger's, until the connection is none any more. */
  readonly sender: { name: string | null; readonly address: string | undefined };
  /** How long it was read. Unit: milliseconds. */
  readMs: number;
  /** The round of its last turn, until something of it is parsed. */
  turn: number | null;
}

/** Where strangers come from. */
interface Network {
  readonly name: string;
  /** How long its strangers were read; raised to the others' level when it begins to wait. Unit: milliseconds. */
  readMs: number;
  strangers: number;
  /** Those that wait, in the order in which they began to. */
  readonly waiting: Set<Stranger>;
  /** Those of them that had their turn, and were read, but could not be parsed because the time was up: they come first. */
  readonly owed: Set<Stranger>;
  isNewestNext: boolean;
}

const strangers = new Map<Socket, Stranger>();
const networks = new Map<string, Network>();
/** Those of which strangers wait. */
const waitingNetworks = new Set<Network>();
let waitingCount = 0;
/** The `readMs` of the network that had the last turn. */
let turnsMs = 0;
let round = 0;

/** The next turns are those of another round. */
export function nextTurns(): void {
  round += 1;
}

/** A new connection is a stranger's. */
export function addStranger(socket: Socket): Stranger {
  const name = toNetwork(socket.remoteAddress);
  const network = networks.get(name) ?? createNetwork(name);
  network.strangers += 1;
  const sender = { name: null, address: socket.remoteAddress };
  const stranger = { socket, network, sender, readMs: 0, turn: null };
  strangers.set(socket, stranger);
  return stranger;
}

function createNetwork(name: string): Network {
  const network: Network = {
    name,
    readMs: 0,
    strangers: 0,
    waiting: new Set(),
    owed: new Set(),
    isNewestNext: false,
  };
  networks.set(name, network);
  return network;
}

export const strangerOf = (socket: Socket): Stranger | undefined => strangers.get(socket);

/** The connection is no stranger's any more. */
export function forgetStranger(socket: Socket): void {
  const stranger = strangers.get(socket);
  if (stranger === undefined) return;
  const { network } = stranger;
  strangers.delete(socket);
  dequeue(stranger);
  network.strangers -= 1;
  if (network.strangers === 0) networks.delete(network.name);
}

export function charge(stranger: Stranger, ms: number): void {
  stranger.readMs += ms;
  stranger.network.readMs += ms;
}

/**
 * Adds a stranger to those that wait. If too many wait, the largest network loses its middle one, because its oldest and newest
 * have the next turns.
 */
export function enqueue(stranger: Stranger): void {
  const { network } = stranger;
  // A network without waiting strangers saves up no time.
  if (network.waiting.size === 0) network.readMs = Math.max(network.readMs, turnsMs);
  network.waiting.add(stranger);
  if (stranger.turn === round) network.owed.add(stranger);
  waitingNetworks.add(network);
  waitingCount += 1;
  if (waitingCount > MOST_WAITING) closeOne();
}

function closeOne(): void {
  let most: Network | null = null;
  for (const one of waitingNetworks)
    if (most === null || one.waiting.size > most.waiting.size) most = one;
  const all = [...(most?.waiting ?? [])];
  const middle = all[all.length >> 1];
  if (middle === undefined) return;
  dequeue(middle);
  middle.socket.destroy();
}

function dequeue(stranger: Stranger): void {
  const { network } = stranger;
  if (network.waiting.delete(stranger)) waitingCount -= 1;
  network.owed.delete(stranger);
  if (network.waiting.size === 0) waitingNetworks.delete(network);
}

/**
 * Takes the least-read connection of the least-read network. Among those not read yet, the oldest and the newest alternate, so
 * that a thousand new connections do not keep out the next.
 */
export function takeStranger(): Socket | null {
  const network = oldestOfLeast(waitingNetworks);
  if (network === null) return null;
  const stranger = nextOf(network);
  if (stranger === null) return null;
  turnsMs = network.readMs;
  dequeue(stranger);
  charge(stranger, TURN_MS);
  stranger.turn = round;
  return stranger.socket;
}

function nextOf(network: Network): Stranger | null {
  const { waiting, isNewestNext } = network;
  for (const stranger of network.owed) return stranger;
  network.isNewestNext = !isNewestNext;
  return isNewestNext ? newestOfLeast(waiting) : oldestOfLeast(waiting);
}

interface ReadTime {
  readonly readMs: number;
}

/** Of those of which least was read, the one that has waited longest. */
function oldestOfLeast<T extends ReadTime>(all: Iterable<T>): T | null {
  let least: T | null = null;
  for (const one of all) if (least === null || one.readMs < least.readMs) least = one;
  return least;
}

function newestOfLeast<T extends ReadTime>(all: Iterable<T>): T | null {
  let least: T | null = null;
  for (const one of all) if (least === null || one.readMs <= least.readMs) least = one;
  return least;
}
