import { createAllowance } from '../rest/allowance.ts';
import { createPlaces } from '../rest/places.ts';
import { createRoundRobin } from '../rest/round-robin.ts';
import type { Clock } from './clock.ts';

/**
 * Spreads the looks that follow writes over time: one write may touch the lists of a thousand tokens. Turns go round between
 * writers, so that the many looks after the writes of one delay no look after the write of another.
 */
export interface Turns {
  /** Looks at the next turn of a writer. Returns the function that gives the turn up. */
  wait(writer: string, look: () => Promise<void>): () => void;
}

/**
 * A look at 100 messages, with the event of one subscriber, takes 1 to 2 ms of processor time: at this rate, looks take about
 * a quarter of one core. Unit: looks.
 */
const LOOKS = { burst: 30, perSecond: 150 };

/** `atOnce`: how many of these looks may run at the same time. One writer may have four fifths of them. */
export function createTurns(atOnce: number, clock: Clock): Turns {
  const places = createPlaces(atOnce);
  const mayLook = createAllowance(LOOKS, clock.now);
  let isTimed = false;
  const line = createRoundRobin({
    hasRoom: places.hasRoom,
    isHeldBy: places.isHeldBy,
    take(writer) {
      if (mayLook(1)) return places.take(writer);
      if (!isTimed) clock.after(1000 / LOOKS.perSecond, goOn);
      isTimed = true;
      return false;
    },
    get isFree() {
      return places.isFree;
    },
    get hasMoreThanLast() {
      return places.hasMoreThanLast;
    },
  });
  const goOn = () => {
    isTimed = false;
    line.grant('');
  };
  return {
    wait(writer, look) {
      const call = {
        caller: writer,
        expires: Number.POSITIVE_INFINITY,
        async begin() {
          await look();
          places.give(writer);
          line.grant(writer);
        },
      };
      line.add(call);
      line.grant(writer);
      return () => line.remove(call);
    },
  };
}
