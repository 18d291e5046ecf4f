import { PageOutOfReachError } from './errors.ts';
import { SAFE_LIMIT } from './known-limits.ts';
import { longerThan } from './next.ts';
import type { Segment } from './segment.ts';
import type { PagingStrategy } from './strategy.ts';

/**
 * The highest `limit` to ask for, whatever position a cursor names: a cursor may be forged. It is more items than an
 * answer of 16 MiB, the default of MAX_RESPONSE_BYTES, can usually hold.
 */
const MAX_LIMIT_ASKED = 100_000;

/** After this many longer pages in a row without another item, the service has a maximum. Unit: calls. */
const MAX_MISSES = 3;

/**
 * Asks for a longer and longer first page, so page n costs the items of n pages. Needs only `limit` and `has_more`, which
 * every service has. Source: Endpoints.
 */
export const byLimit: PagingStrategy = {
  name: 'limit',
  isOneCall: true,
  overlap: 0,
  extend: (reader, segment, wanted) =>
    askOnce(reader, segment, wanted).then((read) =>
      isShort(read, wanted) ? lengthen(reader, read, wanted) : read,
    ),
};

/** Whether a first page has fewer items than wanted, although the list has more. */
export const isShort = <T>({ items, hasMore }: Segment<T>, wanted: number): boolean =>
  items.length < wanted && hasMore;

type Extend = PagingStrategy['extend'];

/** Asks for the first page that should hold `wanted` items. */
export const askOnce: Extend = (reader, segment, wanted) => {
  // A search for the end of the list doubles `wanted`, and stops at the bound before it fails.
  if (wanted > MAX_LIMIT_ASKED && segment.items.length === 0) {
    throw new PageOutOfReachError(
      `This page is out of reach: it needs the first ${wanted} items of the list, and one call asks for ${MAX_LIMIT_ASKED} at most. Set PAGING to the way the service pages.`,
    );
  }
  const limit = Math.min(wanted, MAX_LIMIT_ASKED);
  const hasRead = segment.items.length >= SAFE_LIMIT;
  // What was read before is all that is in reach if the service refuses more.
  return reader
    .ask({ limit }, hasRead)
    .then(({ items, hasMore }) =>
      items.length < segment.items.length && hasMore
        ? segment
        : { items, hasMore, start: 0 },
    );
};

/** A service may take `limit` items and leave some out. Then a higher `limit` brings more; if not, it is a maximum. */
export const lengthen: Extend = async (reader, read, wanted) => {
  let longest = read;
  let limit = wanted;
  let misses = 0;
  while (isShort(longest, wanted) && misses < MAX_MISSES && limit < MAX_LIMIT_ASKED) {
    const isStuck = misses > 0 || longest.items.length === 0;
    const next = isStuck ? longerThan(limit) : Math.max(2 * limit, 2 * SAFE_LIMIT);
    limit = Math.min(next, MAX_LIMIT_ASKED);
    const longer = await askOnce(reader, longest, limit);
    misses = longer.items.length > longest.items.length ? 0 : misses + 1;
    longest = longer;
  }
  return longest;
};
