import { type Signal, waitUnlessAborted } from './abort.ts';
import { type CallerId, STRANGERS } from './caller-id.ts';
import { Rounds } from './rounds.ts';
import { FairSlots } from './shares.ts';

/**
 * How long the pieces of work that begin in one phase of the event loop may take together; the last one may take longer.
 * Most operations take less. Unit: milliseconds.
 */
const PHASE_MS = 2;
/** At most this many pieces that waited begin in one phase. Each has a step, which runs even if no time is left. */
const MAX_STEPS = 64;
/**
 * At most this many operations have begun and are not answered, of one caller four fifths. Each may hold a megabyte that is
 * not counted. With 64 connections to the service, more at once are answered no sooner.
 */
const MAX_BEGUN = 1024;

export type Thread = ReturnType<typeof createThread>;

/** The clock, and the phases of the event loop. */
interface ThreadOptions {
  /** Unit: milliseconds. */
  readonly now: () => number;
  /** Runs the step in the next phase of the event loop, after the earlier steps and everything that they begin. */
  readonly putOff: (step: () => void) => void;
  /** What operations take while they run. */
  readonly places: FairSlots;
}

/** An operation that is about to begin. */
interface NewOperation extends Signal {
  /** It has taken a place. `giveBack` is to be called once, when it is answered. */
  takesPlace(giveBack: () => void): void;
}

/**
 * Divides the thread between callers. All work is done in one thread, and everything that arrives in one moment is done
 * before anything that arrives after it: five operations of 250 reads keep the thread for a tenth of a second. So
 * operations ask for a turn before each piece of their work.
 *
 * The turn comes at once while the work of this phase has taken little time: an operation that comes alone does not wait.
 * If the work has taken longer, the piece waits until the event loop has looked for new requests and answers. After that
 * the pieces that wait begin, one of each caller after the other, again until they have taken this time.
 */
export function createThread({ now, putOff, places }: ThreadOptions) {
  const waiting = new Rounds<() => void>();
  /** When the first piece of this phase began; null: none has begun. */
  let began: number | null = null;
  /** The steps put off to the next phase, and the steps of this phase that have not run. */
  let next = 0;
  let left = 0;
  /** Only new operations wait, and no place is free for them in this phase. */
  let isStuck = false;

  const hasTime = () => began === null || now() - began < PHASE_MS;

  /** One step for each piece that waits, and one more for the end of the phase. */
  function putOffSteps(): void {
    const needed = Math.min(waiting.size, MAX_STEPS) + 1;
    for (; next < needed; next += 1) putOff(step);
  }

  function step(): void {
    if (left === 0) {
      left = next;
      next = 0;
      began = null;
      isStuck = false;
    }
    left -= 1;
    if (left > 0) {
      if (hasTime() && !isStuck) beginOne();
      return;
    }
    began = null;
    if (waiting.size > 0 && !isStuck) putOffSteps();
  }

  /** Begins a piece of the caller whose turn it is. */
  function beginOne(): void {
    const begin = waiting.take(undefined, places);
    isStuck = begin === null;
    if (begin === null) return;
    began ??= now();
    begin();
  }

  /** Whether a piece that comes now may begin at once. */
  function mayBegin(): boolean {
    if (began !== null) return hasTime();
    began = now();
    if (next === 0) putOffSteps();
    return true;
  }

  const wait = (caller: CallerId, isNext: boolean): Promise<void> =>
    new Promise((begin) => {
      waiting.addFirst(caller, begin, isNext);
      putOffSteps();
    });

  function takePlace(caller: CallerId, operation: NewOperation): void {
    places.acquire(caller);
    operation.takesPlace(() => {
      places.release(caller);
      if (waiting.size > 0) putOffSteps();
    });
  }

  const waitAsNew = (caller: CallerId, operation: NewOperation): Promise<unknown> =>
    waitUnlessAborted(operation, (begin) => {
      const beginInPlace = () => {
        takePlace(caller, operation);
        begin();
      };
      waiting.add(caller, beginInPlace);
      putOffSteps();
      return () => waiting.remove(caller, beginInPlace);
    });

  return {
    /** Waits for this caller's turn, for a piece of an operation that has begun. Undefined: no wait. */
    turnOf: (caller: CallerId) => (mayBegin() ? undefined : wait(caller, false)),
    /**
     * The same for the next piece of a result that has begun. It has the next turn of this caller: otherwise the results of
     * all its operations would grow at the same time, and be in memory together.
     */
    turnToGoOn: (caller: CallerId) => (mayBegin() ? undefined : wait(caller, true)),
    /**
     * The same for a request about to be parsed, which then takes a place, and waits until one is free. It comes after the
     * pieces of its caller's operations: otherwise all waiting requests would be parsed, and be in memory, before the first one
     * ends. A stranger's comes after everything that waits: with hundreds of strangers, a new one sends in each phase, and each
     * would begin at once. If its time is up or its client leaves, the wait ends without a place: check then whether it was
     * aborted.
     */
    turnOfNew(caller: CallerId, operation: NewOperation): Promise<unknown> | undefined {
      if (operation.aborted) return undefined;
      const isBehind = waiting.size > 0 && caller.share === STRANGERS;
      if (isBehind || !places.hasRoom(caller) || !mayBegin())
        return waitAsNew(caller, operation);
      takePlace(caller, operation);
      return undefined;
    },
  };
}

/** The one thread of this process. */
export const { turnOf, turnToGoOn, turnOfNew } = createThread({
  now: performance.now.bind(performance),
  putOff: setImmediate,
  places: new FairSlots(MAX_BEGUN),
});

const AT_ONCE = Promise.resolve();

/** The same as `turnOf`, for what ends a call: it never runs before the caller of this function has returned. */
export const asyncTurnOf = (caller: CallerId): Promise<void> => turnOf(caller) ?? AT_ONCE;
