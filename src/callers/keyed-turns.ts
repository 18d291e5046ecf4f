import type { AbortListener, Signal } from './abort.ts';
import type { ShareKey } from './caller-id.ts';
import { Rounds } from './rounds.ts';

/** Who waits for a turn, and the signal that ends the wait. */
interface Waiting {
  readonly caller: ShareKey;
  readonly signal: Signal;
}

/**
 * One turn at a time for each key, for what reads an object and then writes what follows from it. Callers have their turns in
 * rounds: each waits for the turn that runs, and for at most one turn of each other caller.
 */
export class KeyedTurns {
  /** What waits for each key of which a turn is taken. */
  readonly #waiting = new Map<string, Rounds<() => void>>();

  /** Waits for a turn, which must be released. False: the signal was aborted before it came. */
  async acquire(key: string, { caller, signal }: Waiting): Promise<boolean> {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) {
      this.#waiting.set(key, new Rounds());
      return true;
    }
    if (signal.aborted) return false;
    return new Promise((resolve) => {
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave: AbortListener = {
        handleEvent() {
          waiting.remove(caller, begin);
          resolve(false);
        },
      };
      waiting.add(caller, begin);
      signal.addEventListener('abort', leave);
    });
  }

  release(key: string): void {
    const next = this.#waiting.get(key)?.take() ?? null;
    if (next === null) this.#waiting.delete(key);
    else next();
  }
}
