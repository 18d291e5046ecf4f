import { PageOutOfReachError } from './errors.ts';
import type { NewestEnd } from './newest-end.ts';
import type { OwnState } from './own-state.ts';

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

  /** Notes what the items have shown. Throws PageOutOfReachError if they are in neither order. */
  note(shown: NewestEnd | 'mixed'): NewestEnd {
    if (shown === 'mixed') throw inNeitherOrder();
    if (shown !== this.newestEnd) this.#own.get().newestEnd = shown;
    return shown;
  }
}

const inNeitherOrder = () =>
  new PageOutOfReachError(
    'The newest items cannot be found: the service lists neither the newest nor the oldest first, as far as the times of the items show. If it does, set LIST_ORDER.',
  );
