import { callTimeIsUp } from './abort.ts';
import type { Layer, OutgoingRequest } from './chain.ts';
import { OverloadedError, RestNetworkError } from './errors.ts';
import { createPlaces } from './places.ts';
import { createTurns } from './round-robin.ts';
import { turnOf } from './thread.ts';

/** Admission control before the pool of connections: it admits only what can be served soon, and no caller crowds out others. */
export interface Admission {
  /** Throws OverloadedError for a call that can neither be sent nor wait. */
  readonly guard: Layer;
  /** Takes a connection for a call of this caller; false if the caller has its share of them, and the call must wait. */
  take(caller: string): boolean;
  /** Waits for the call's turn, and returns the call with a connection taken for it. Throws if there is none in its time. */
  wait(request: OutgoingRequest): Promise<OutgoingRequest>;
  /** Gives a connection back, to the call whose turn it is. */
  give(caller: string): void;
  /** Calls that hold a connection. */
  readonly running: number;
  /** Calls that wait for their turn. */
  readonly waiting: number;
}

export interface AdmissionOptions {
  readonly connections: number;
  /** How many calls may wait for a connection. */
  readonly maxQueue: number;
  /** How long a call may take, including its wait. Unit: milliseconds. */
  readonly timeoutMs: number;
  /** Whether this process is too busy to keep up with its work. */
  readonly isLagging: () => boolean;
}

/** When a refused client should try again: by then the queue has moved, or the burst is over. Unit: seconds. */
const RETRY_AFTER_SECONDS = 1;

export function createAdmission({
  connections,
  maxQueue,
  timeoutMs,
  isLagging,
}: AdmissionOptions): Admission {
  const running = createPlaces(connections);
  const queue = createPlaces(maxQueue);
  const turns = createTurns(running);
  const tooMany = `too many calls wait already: ${maxQueue} may, and four fifths of them from one caller (REST_QUEUE)`;
  const tooSlow = callTimeIsUp(timeoutMs);

  /** A call that gets no connection in its time was certainly not sent. */
  async function wait(request: OutgoingRequest): Promise<OutgoingRequest> {
    const { token, caller, call, signal } = request;
    if (!queue.take(caller)) throw refused(request, tooMany);
    const expires = performance.now() + timeoutMs;
    try {
      await turns.next({ caller, signal, expires });
      return { ...request, expires };
    } catch (reason) {
      const cause = reason ?? tooSlow;
      // The time of hundreds of calls may be up in one moment, and each then does more work.
      const turn = turnOf(token);
      if (turn !== undefined) await turn;
      throw new RestNetworkError(call, { kind: 'timeout', mayHaveLeft: false, cause });
    } finally {
      queue.give(caller);
    }
  }

  return {
    guard: (next) => (request) => {
      const { caller } = request;
      if (isLagging()) throw refused(request, 'the gateway cannot keep up');
      if (!running.hasRoom(caller) && !queue.hasRoom(caller)) {
        throw refused(request, tooMany);
      }
      return next(request);
    },
    take: running.take,
    wait,
    give(caller) {
      running.give(caller);
      turns.grant(caller);
    },
    get running() {
      return running.taken;
    },
    get waiting() {
      return queue.taken;
    },
  };
}

const refused = ({ call }: OutgoingRequest, reason: string) =>
  new OverloadedError(call, `not made: ${reason}`, RETRY_AFTER_SECONDS);
