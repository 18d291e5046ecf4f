import { byId } from './by-id.ts';
import { byLearning } from './by-learning.ts';
import { byLimit } from './by-limit.ts';
import { byOffset, byPage } from './offset-and-page.ts';
import { type UnknownId, USUAL_PARAMETERS } from './parameters.ts';
import type { LearnedStyle } from './shared-paging.ts';
import type { PagingStrategy } from './strategy.ts';

/** How to ask the service for the next page. Open point: pagination parameter. */
export interface StyleOptions {
  readonly paging: PagingStyle;
  /** The parameter's name; null: the style's usual name. */
  readonly pagingParam: string | null;
  readonly pagingBackParam: string | null;
  readonly pagingUnknownId: UnknownId;
}

type CountingOptions = Pick<StyleOptions, 'pagingParam'>;

/** Every paging style. Add a new one here. */
const STRATEGIES = {
  auto: () => byLearning(toStrategy),
  limit: () => byLimit,
  starting_after: ({ pagingParam, pagingBackParam, pagingUnknownId }) =>
    byId({
      unknownId: pagingUnknownId,
      param: pagingParam ?? USUAL_PARAMETERS.after,
      backParam: pagingBackParam ?? USUAL_PARAMETERS.before,
    }),
  offset: ({ pagingParam }: CountingOptions) =>
    byOffset(pagingParam ?? USUAL_PARAMETERS.offset),
  page: ({ pagingParam }: CountingOptions) =>
    byPage(pagingParam ?? USUAL_PARAMETERS.page),
} as const satisfies Record<string, (options: StyleOptions) => PagingStrategy>;

export type PagingStyle = keyof typeof STRATEGIES;

export const PAGING_STYLES = Object.keys(STRATEGIES) as readonly PagingStyle[];

/** Under `auto`, the cursors of every style are valid, and under every style those of `auto`. */
export function createStrategy(options: StyleOptions): PagingStrategy {
  const { paging } = options;
  const readsCursorsOf = paging === 'auto' ? PAGING_STYLES : ['auto'];
  return { ...STRATEGIES[paging](options), readsCursorsOf };
}

function toStrategy({ name, hasBack, unknownId }: LearnedStyle): PagingStrategy {
  const { after, before } = USUAL_PARAMETERS;
  if (name !== 'starting_after') return STRATEGIES[name]({ pagingParam: null });
  return byId({
    param: after,
    backParam: hasBack ? before : null,
    unknownId,
    repeats: true,
  });
}
