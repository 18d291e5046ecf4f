import type { Places } from './places.ts';

/** A call that waits. */
export interface Waiting {
  readonly caller: string;
  /** When its time to wait is up, on the clock of `performance.now()`. It begins no later. Unit: milliseconds. */
  readonly expires: number;
  /** Runs at its turn, with a place taken for it. */
  begin(): void;
}

/** Gives turns to callers that wait: round by round, one to each, so that a long queue of one delays no other. */
export interface RoundRobin {
  add(call: Waiting): void;
  /** The call waits no more. */
  remove(call: Waiting): void;
  /** Gives turns to as many calls as can begin. Runs when this caller has given a place back. */
  grant(caller: string): void;
}

export function createRoundRobin(places: Omit<Places, 'give' | 'taken'>): RoundRobin {
  /** The callers that wait, in the order of their next turns, and the calls of each in the order of their arrival. */
  const waiting = new Map<string, Set<Waiting>>();
  /** Those of them that hold no place. The last free place is for one of these. */
  const withoutPlace = new Set<string>();

  function noteCaller(caller: string): void {
    if (!places.isHeldBy(caller)) withoutPlace.add(caller);
  }

  /** Lets one call begin; returns false if none may. */
  function grantOne(now: number): boolean {
    // Each call that ends comes here, and hundreds of callers may wait.
    if (withoutPlace.size === 0 && !places.hasMoreThanLast) return false;
    for (const caller of waiting.keys()) {
      // Checked first, because usually only one place is free, and most callers may not take it.
      if (!places.hasRoom(caller)) continue;
      const calls = waiting.get(caller) ?? new Set();
      const call = firstOf(calls, now);
      if (call === null || !places.take(caller)) continue;
      waiting.delete(caller);
      withoutPlace.delete(caller);
      calls.delete(call);
      // The caller's next turn comes after those of all others.
      if (calls.size > 0) waiting.set(caller, calls);
      call.begin();
      return true;
    }
    return false;
  }

  return {
    add(call) {
      const { caller } = call;
      const calls = waiting.get(caller);
      if (calls === undefined) waiting.set(caller, new Set([call]));
      else calls.add(call);
      noteCaller(caller);
    },
    remove(call) {
      const { caller } = call;
      const calls = waiting.get(caller);
      calls?.delete(call);
      if (calls?.size !== 0) return;
      waiting.delete(caller);
      withoutPlace.delete(caller);
    },
    grant(caller) {
      if (waiting.size === 0) return;
      if (waiting.has(caller)) noteCaller(caller);
      const now = performance.now();
      while (places.isFree && grantOne(now));
    },
  };
}

/** The first call whose time is not up. The timers of the others are about to end them. */
function firstOf(calls: Set<Waiting>, now: number): Waiting | null {
  for (const call of calls) if (call.expires > now) return call;
  return null;
}
