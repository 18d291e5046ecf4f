import { FairQueue } from '../callers/rounds.ts';
import { FairSlots } from '../callers/shares.ts';
import type { Clock } from './clock.ts';

/**
 * Spreads the polls that follow writes over time: one write may touch the lists of a thousand tokens. Turns go round between
 * writers, so that the many polls after the writes of one delay no poll after the write of another. Polls at the next turn of
 * the writer; returns the function that gives the turn up.
 */
export type WriterTurns = (writer: string, poll: () => Promise<void>) => () => void;

/** How many polls may begin in one moment. */
const BURST = 30;
/**
 * Each poll that began makes room for another after this time, one at a time. A poll of 100 messages, with the event of one
 * subscriber, takes 1 to 2 ms of processor time, so polls take about a quarter of one core; less while the process is busy,
 * because each of these timers allows one poll, however late it runs. Unit: milliseconds.
 */
const BETWEEN_POLLS_MS = 20 / 3;

/** `atOnce`: how many of these polls may run at the same time. One writer may have four fifths of them. */
export function createTurns(atOnce: number, clock: Clock): WriterTurns {
  const slots = new FairSlots(atOnce);
  let left = BURST;
  const line = new FairQueue({
    hasRoomFor: (writer) => slots.hasRoomFor(writer),
    slotsOf: (writer) => slots.slotsOf(writer),
    acquire(writer) {
      if (!slots.acquire(writer)) return false;
      if (left === BURST) clock.after(BETWEEN_POLLS_MS, allowOne);
      left -= 1;
      return true;
    },
    get isFree() {
      return left > 0 && slots.isFree;
    },
  });
  function allowOne(): void {
    left += 1;
    if (left < BURST) clock.after(BETWEEN_POLLS_MS, allowOne);
    line.grant();
  }
  return (writer, poll) => {
    const caller = { share: writer, subgroup: null };
    const call = {
      caller,
      expires: Number.POSITIVE_INFINITY,
      async begin() {
        await poll();
        slots.release(caller);
        line.grant();
      },
    };
    line.add(call);
    line.grant();
    return () => line.remove(call);
  };
}
