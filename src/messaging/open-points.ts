import type { ListOrderSetting } from '../paging/parameters.ts';
import type { StyleOptions } from '../paging/styles.ts';
import type { TimestampUnit } from '../rest/timestamp.ts';

/** The settings that change a reading. */
interface ReadingConfig extends StyleOptions {
  readonly maxLimit: number | null;
  readonly timestampUnit: TimestampUnit | null;
  readonly listOrder: ListOrderSetting;
}

export interface Point {
  readonly title: string;
  /** How the gateway reads the point; `settled by the interface`, once that states it. */
  readonly reading: string | ((config: ReadingConfig) => string);
  /** The settings that change the reading. */
  readonly settings?: readonly string[];
}

/** The points that the interface leaves open, by number. docs/open-points.md explains each under the same title. */
export const OPEN_POINTS = {
  1: {
    title: 'allowed reaction names',
    reading: 'any, except the empty name and names with [ or ]',
  },
  2: { title: 'attachment fields', reading: 'any JSON; forms carry scalars as text' },
  3: { title: 'group resource', reading: 'an id only' },
  4: {
    title: 'timestamp unit',
    reading: ({ timestampUnit }) =>
      timestampUnit ?? 'shown by the size of the timestamps',
    settings: ['TIMESTAMP_UNIT'],
  },
  5: { title: 'transitions', reading: 'the service decides' },
  6: { title: 'success status codes', reading: 'any 2xx' },
  7: { title: 'body of a delete', reading: 'ignored' },
  8: {
    title: 'pagination parameter',
    reading: describePaging,
    settings: ['PAGING', 'PAGING_PARAM', 'PAGING_BACK_PARAM', 'PAGING_UNKNOWN_ID'],
  },
  9: {
    title: 'order of lists',
    reading: ({ listOrder }) =>
      listOrder === 'auto'
        ? 'any: a cursor names an item; times show which end is the newest'
        : `messages the ${listOrder} first`,
    settings: ['LIST_ORDER'],
  },
  10: {
    title: 'reactions in an update',
    reading: 'the service decides; the payload shows the result',
  },
  11: { title: 'JSON bodies', reading: 'never sent; every body is a form' },
  12: { title: 'both contact_id and group_id', reading: 'sent as given' },
  13: { title: 'tokens', reading: 'opaque: passed on byte for byte' },
  14: { title: 'events', reading: 'none needed' },
  15: { title: 'error format', reading: 'any; 404 and 410 mean an unknown id' },
  16: {
    title: 'maximum limit',
    reading: ({ maxLimit }) =>
      maxLimit === null
        ? 'learned when the service refuses a limit, or returns fewer items'
        : String(maxLimit),
    settings: ['MAX_LIMIT'],
  },
  17: { title: 'rate limits', reading: '429, with or without Retry-After' },
  18: { title: 'message and attachment limits', reading: 'the service decides' },
  19: { title: 'version policy', reading: '/v1' },
} as const satisfies Record<number, Point>;

export type OpenPoint = keyof typeof OPEN_POINTS;

const HEADING =
  'With these settings, the gateway reads what the interface leaves open like this. Settings in brackets change it; docs/open-points.md explains each point.';

/** The readings under a configuration: a heading, then one line for each open point. */
export const describeProfile = (config: ReadingConfig): readonly string[] => [
  HEADING,
  ...Object.entries<Point>(OPEN_POINTS).map(([number, { title, reading, settings }]) => {
    const words = typeof reading === 'string' ? reading : reading(config);
    const how = settings === undefined ? '' : ` (${settings.join(', ')})`;
    return `open point ${number}, ${title}: ${words}${how}`;
  }),
];

function describePaging(config: ReadingConfig): string {
  const { paging, pagingParam, pagingBackParam, pagingUnknownId } = config;
  if (paging === 'auto')
    return 'learned from the items that the service sends (/readyz shows it); until then, only limit';
  if (paging === 'limit') return 'none: only limit, with a longer and longer first page';
  const forward = pagingParam ?? paging;
  if (paging !== 'starting_after') return forward;
  const unknownId =
    pagingUnknownId === 'first' ? 'the first page' : 'a refusal or an empty page';
  return `${forward} and ${pagingBackParam ?? 'ending_before'}; an unknown id gets ${unknownId}`;
}
