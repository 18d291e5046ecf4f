import { positional } from './by-position.ts';
import type { PagingStrategy } from './strategy.ts';

/** Skips items by their number. Open point: pagination parameter. */
export const byOffset = ({ param, maxPageSize }: CountingOptions): PagingStrategy =>
  positional('offset', async (reader, { from, to }) => {
    const page = await reader.ask({
      limit: Math.min(to - from, maxPageSize),
      ...(from === 0 ? {} : { [param]: from }),
    });
    return { ...page, start: from };
  });

export interface CountingOptions {
  /** Name of the parameter that counts. */
  readonly param: string;
  /** The longest page asked for. */
  readonly maxPageSize: number;
}
