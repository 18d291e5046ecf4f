import type { Sharer } from './caller-id.ts';
import type { Places, Room } from './places.ts';
import { Rounds } from './rounds.ts';

/** A call that waits. */
export interface Waiting {
  readonly caller: Sharer;
  /** When its time to wait is up, on the clock of `performance.now()`. It begins no later. Unit: milliseconds. */
  readonly expires: number;
  /** Runs at its turn, with a place taken for it. */
  begin(): void;
}

/** Gives places to calls that wait, in turns of their callers. */
export interface RoundRobin<T> {
  add(call: T): void;
  /** The call waits no more. */
  remove(call: T): void;
  /** The call that has to make room for one more of this caller, see Rounds; null if there is none. */
  loserTo(caller: Sharer): T | null;
  /** Gives turns to as many calls as can begin. Runs when a place has been given back. */
  grant(): void;
}

export function createRoundRobin<T extends Waiting>(
  places: Pick<Places, 'take' | 'isFree' | keyof Room>,
): RoundRobin<T> {
  const waiting = new Rounds<T>();
  return {
    add: (call) => waiting.add(call.caller, call),
    remove: (call) => waiting.remove(call.caller, call),
    loserTo: (caller) => waiting.loserTo(caller),
    grant() {
      if (waiting.size === 0) return;
      const now = performance.now();
      /** The first call whose time is not up, with a place. The timers of the others are about to end them. */
      const choose = (calls: Iterable<T>): T | null => {
        for (const call of calls)
          if (call.expires > now) return places.take(call.caller) ? call : null;
        return null;
      };
      while (places.isFree) {
        const call = waiting.take(choose, places);
        if (call === null) break;
        call.begin();
      }
    },
  };
}
