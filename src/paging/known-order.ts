import type { OwnState } from '../callers/own-state.ts';
import type { NewestEnd } from './newest-end.ts';

type Own = OwnState<{ newestEnd: NewestEnd | null }>;

/** Where one list endpoint has its newest items, as one caller has seen it. */
export class KnownOrder {
  readonly #own: Own;

  constructor(own: Own) {
    this.#own = own;
  }

  /** Null if the caller has not seen it yet. */
  get newestEnd(): NewestEnd | null {
    return this.#own.find()?.newestEnd ?? null;
  }

  note(newestEnd: NewestEnd): void {
    if (newestEnd !== this.newestEnd) this.#own.get().newestEnd = newestEnd;
  }
}
