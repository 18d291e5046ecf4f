import { type Signal, waitUnlessAborted } from './abort.ts';
import type { ShareKey } from './caller-id.ts';
import { Rounds } from './rounds.ts';

/** Who waits for a turn, and the signal that ends the wait. */
interface Waiting {
  readonly caller: ShareKey;
  readonly signal: Signal;
}

/** A turn that was not renewed for so long ends if others wait: a caller may make its own calls slow. Unit: milliseconds. */
const LONGEST_TURN_MS = 1000;

/** A turn that was taken. It must be released. */
export class Turn {
  readonly #pass: () => void;
  readonly #othersWait: () => boolean;
  #isOver = false;
  /** Whether nothing is done in it any more. */
  #isIdle = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(pass: () => void, othersWait: () => boolean) {
    this.#pass = pass;
    this.#othersWait = othersWait;
    this.renew();
  }

  /** Begins its time again. False: it was over, and others have had it. */
  renew(): boolean {
    clearTimeout(this.#timer);
    if (this.#isOver) return false;
    const end = () =>
      this.#isIdle || this.#othersWait() ? this.release() : this.renew();
    this.#timer = setTimeout(end, LONGEST_TURN_MS).unref();
    return true;
  }

  release(): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#pass();
  }

  /** Releases it at its end, because what was written in it may arrive until then. */
  releaseLater(): void {
    this.#isIdle = true;
  }
}

/**
 * One turn at a time for each key, for what reads an object and then writes what follows from it. Callers have their turns in
 * rounds: each waits for the turn that runs, and then for at most one turn of each other caller.
 */
export class KeyedTurns {
  /** What waits for each key of which a turn is taken. */
  readonly #waiting = new Map<string, Rounds<() => void>>();

  /** Waits for a turn. Null: the signal was aborted before it came. */
  async acquire(key: string, { caller, signal }: Waiting): Promise<Turn | null> {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) {
      this.#waiting.set(key, new Rounds());
      return this.#toTurn(key);
    }
    const isTurn = await waitUnlessAborted(signal, (begin) => {
      waiting.add(caller, begin);
      return () => waiting.remove(caller, begin);
    });
    return isTurn ? this.#toTurn(key) : null;
  }

  #toTurn(key: string): Turn {
    const othersWait = () => (this.#waiting.get(key)?.size ?? 0) > 0;
    return new Turn(() => this.#pass(key), othersWait);
  }

  #pass(key: string): void {
    const next = this.#waiting.get(key)?.take() ?? null;
    if (next === null) this.#waiting.delete(key);
    else next();
  }
}
