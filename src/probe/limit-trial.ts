import type { Asker } from './asker.ts';
import { type Head, readList } from './list.ts';

/** What a `limit` got. `full`: as many items as asked for; `ended`: the list is shorter; `short`: fewer, though there are more. */
type Verdict =
  | { readonly kind: 'full' | 'ended' | 'short'; readonly given: number }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'trouble' };

/** One list, asked for pages of several lengths. */
export interface Trial {
  /** The longest page seen so far. */
  readonly head: Head;
  ask(limit: number): Promise<Verdict>;
}

export function createTrial(asker: Asker, first: Head): Trial {
  let head = first;
  return {
    get head() {
      return head;
    },
    async ask(limit) {
      const purpose = `a page of ${limit}: how long may pages be?`;
      const reading = await readList(asker, first.list, { purpose, query: { limit } });
      if (reading.kind !== 'page') return reading;
      const { page } = reading;
      const given = page.ids.length;
      if (given > head.ids.length) head = { ...page, list: first.list };
      if (given >= limit) return { kind: 'full', given };
      return { kind: page.hasMore ? 'short' : 'ended', given };
    },
  };
}
