import type { CallerId } from '../../callers/caller-id.ts';
import { FairSlots } from '../../callers/shares.ts';
import { TRY_AGAIN_LATER } from './protocol.ts';

interface Closable {
  close(code: number, reason: string): void;
}

/** Decides which sockets stay open. */
export type SocketPlaces = ReturnType<typeof createSocketPlaces>;

/** A socket whose token, if it has sent one, the service has not accepted. */
interface StrangerSocket {
  /** Unit: milliseconds. */
  readonly openedAt: number;
  caller: CallerId | null;
}

/** An honest client gets the service's first answer within this time. Unit: milliseconds. */
const NEW_MS = 30_000;
/** The part of all sockets that strangers keep after that, and how many at least. */
const STRANGERS_PART = 1 / 10;
const MIN_STRANGERS = 5;

/**
 * Accepted callers share all places. A stranger's socket takes none: while new, it uses what is free, and later one of a small
 * part. The oldest strangers' sockets are closed for newer ones.
 */
export function createSocketPlaces(maxSockets: number) {
  const places = new FairSlots(maxSockets);
  const held = new Map<Closable, CallerId>();
  /** The oldest first. */
  const strangers = new Map<Closable, StrangerSocket>();
  const few = Math.max(MIN_STRANGERS, Math.floor(maxSockets * STRANGERS_PART));

  /** It is no stranger any more: it takes a place of its caller, or is closed. */
  function move(socket: Closable, caller: CallerId | null): void {
    strangers.delete(socket);
    if (caller?.isAccepted && places.acquire(caller)) held.set(socket, caller);
    else socket.close(TRY_AGAIN_LATER, 'Too many connections');
  }

  function makeRoom(): void {
    for (const [socket, { openedAt, caller }] of strangers) {
      const isNew = performance.now() - openedAt < NEW_MS;
      const most = isNew ? Math.max(few, maxSockets - places.taken) : few;
      if (strangers.size <= most) return;
      move(socket, caller);
    }
  }

  /** The service may have accepted its token meanwhile: then all sockets of its caller count, and those above its share close. */
  function settle(socket: Closable): void {
    const own = strangers.get(socket)?.caller;
    if (!own?.isAccepted) return;
    for (const [other, { caller }] of strangers)
      if (caller?.name === own.name) move(other, caller);
  }

  return {
    /** A socket was opened; who opened it is not known yet. */
    open(socket: Closable): void {
      strangers.set(socket, { openedAt: performance.now(), caller: null });
      makeRoom();
    },

    /** Who opened it is known. Returns false if this caller has too many sockets. */
    admit(socket: Closable, caller: CallerId): boolean {
      const known = strangers.get(socket);
      if (known === undefined) return false;
      known.caller = caller;
      settle(socket);
      return strangers.has(socket) || held.has(socket);
    },

    settle,

    /** Whether it takes a place of its caller. */
    isHeld: (socket: Closable): boolean => held.has(socket),

    closed(socket: Closable): void {
      strangers.delete(socket);
      const caller = held.get(socket);
      if (caller !== undefined) places.release(caller);
      held.delete(socket);
    },
  };
}
