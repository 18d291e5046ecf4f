import { byId, type UnknownId } from './by-id.ts';
import { byLimit } from './by-limit.ts';
import { byOffset, byPage } from './offset-and-page.ts';
import type { PagingStrategy } from './strategy.ts';

/** How to ask the service for the next page. Open point: pagination parameter. */
export interface StyleOptions {
  readonly style: PagingStyle;
  /** The parameter's name; null: the style's usual name. */
  readonly param: string | null;
  readonly backParam: string | null;
  readonly unknownId: UnknownId;
  readonly maxPageSize: number;
}

type MakeStrategy = (options: StyleOptions) => PagingStrategy;

/** The usual names of the parameters that take an item's id. */
export const KEYSET_PARAMETERS = {
  after: 'starting_after',
  before: 'ending_before',
} as const;

/** Every paging style. Add a new one here. */
const STRATEGIES = {
  limit: () => byLimit,
  starting_after: ({ param, backParam, unknownId, maxPageSize }) =>
    byId({
      unknownId,
      param: param ?? KEYSET_PARAMETERS.after,
      backParam: backParam ?? KEYSET_PARAMETERS.before,
      maxPageSize,
    }),
  offset: ({ param, maxPageSize }) => byOffset({ param: param ?? 'offset', maxPageSize }),
  page: ({ param, maxPageSize }) => byPage({ param: param ?? 'page', maxPageSize }),
} as const satisfies Record<string, MakeStrategy>;

export type PagingStyle = keyof typeof STRATEGIES;

export const PAGING_STYLES = Object.keys(STRATEGIES) as readonly PagingStyle[];

export const createStrategy = (options: StyleOptions): PagingStrategy =>
  STRATEGIES[options.style](options);
