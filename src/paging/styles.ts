import { startingAfter, type UnknownId } from './by-id.ts';
import { byLimit } from './by-limit.ts';
import { byOffset, byPage } from './offset-and-page.ts';
import type { PagingStrategy } from './strategy.ts';

/** How the service is asked for the next page. Open point: pagination parameter. */
export interface StyleOptions {
  readonly style: PagingStyle;
  /** The parameter's name; null: the usual one of the style. */
  readonly param: string | null;
  readonly backParam: string | null;
  readonly unknownId: UnknownId;
  readonly maxPageSize: number;
}

type MakeStrategy = (options: StyleOptions) => PagingStrategy;

/** The usual names of the parameters that take an item's id. */
export const BESIDE_PARAMETERS = {
  forth: 'starting_after',
  back: 'ending_before',
} as const;

/** Every paging style; a new one is a line here. */
const STRATEGIES = {
  limit: () => byLimit,
  starting_after: ({ param, backParam, unknownId, maxPageSize }) =>
    startingAfter({
      unknownId,
      param: param ?? BESIDE_PARAMETERS.forth,
      backParam: backParam ?? BESIDE_PARAMETERS.back,
      maxPageSize,
    }),
  offset: ({ param, maxPageSize }) => byOffset({ param: param ?? 'offset', maxPageSize }),
  page: ({ param, maxPageSize }) => byPage({ param: param ?? 'page', maxPageSize }),
} as const satisfies Record<string, MakeStrategy>;

export type PagingStyle = keyof typeof STRATEGIES;

export const PAGING_STYLES = Object.keys(STRATEGIES) as readonly PagingStyle[];

export const createStrategy = (options: StyleOptions): PagingStrategy =>
  STRATEGIES[options.style](options);
