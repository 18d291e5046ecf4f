import type { Config } from '../config.ts';

/** One open point of the interface and the answer this gateway assumes. */
interface Assumption {
  /** Its number in docs/open-points.md. */
  readonly point: number;
  readonly gap: string;
  readonly reading: string;
  /** The settings that change it; none where every answer works alike. */
  readonly settings: readonly (keyof typeof SETTING_NAMES)[];
}

/** The settings that answer an open point, by their names in the configuration. */
const SETTING_NAMES = {
  timestampUnit: 'TIMESTAMP_UNIT',
  paging: 'PAGING',
  pagingParam: 'PAGING_PARAM',
  pagingBackParam: 'PAGING_BACK_PARAM',
  pagingUnknownId: 'PAGING_UNKNOWN_ID',
  maxLimit: 'MAX_LIMIT',
} as const satisfies Partial<Record<keyof Config, string>>;

/** Every open point as this configuration reads it. */
const toProfile = (config: Config): readonly Assumption[] =>
  [
    assume('allowed reaction names', 'any but those that break the bracket notation'),
    assume('attachment fields', 'any JSON; scalars travel as text'),
    assume('group resource', 'an id, no more'),
    assume('timestamp unit', config.timestampUnit ?? 'unknown: integers alone', [
      'timestampUnit',
    ]),
    assume('transitions', 'the service decides'),
    assume('success status codes', 'any 2xx'),
    assume('body of a delete', 'ignored'),
    assume('parameter of the next page', describePaging(config), [
      'paging',
      'pagingParam',
      'pagingBackParam',
      'pagingUnknownId',
    ]),
    assume('order of lists', 'any: cursors name items'),
    assume('reactions in an update', 'the payload shows what the service made of them'),
    assume('JSON bodies', 'never sent: always a form'),
    assume('both contact_id and group_id', 'sent as given'),
    assume('tokens', 'opaque: passed on byte for byte'),
    assume('events', 'none'),
    assume('error format', 'any; 404 and 410 mean an unknown id'),
    assume(
      'maximum limit',
      config.maxLimit === null ? 'none known' : String(config.maxLimit),
      ['maxLimit'],
    ),
    assume('rate limits', '429, with or without Retry-After'),
    assume('message and attachment limits', 'the service decides'),
    assume('version policy', '/v1'),
  ].map((assumption, index) => ({ point: index + 1, ...assumption }));

const assume = (
  gap: string,
  reading: string,
  settings: Assumption['settings'] = [],
): Omit<Assumption, 'point'> => ({ gap, reading, settings });

function describePaging({
  paging,
  pagingParam,
  pagingBackParam,
  pagingUnknownId,
}: Config): string {
  if (paging === 'limit') return 'none: limit alone, a growing first page';
  const names = [pagingParam ?? paging];
  if (paging !== 'starting_after') return names.join();
  names.push(pagingBackParam ?? 'ending_before');
  return `${names.join(' and ')}; an unknown id is answered with ${pagingUnknownId === 'first' ? 'the first page' : 'a refusal or nothing'}`;
}

/** The profile as a person reads it, a line for each open point. */
export const describeProfile = (config: Config): readonly string[] =>
  toProfile(config).map(({ point, gap, reading, settings }) => {
    const names = settings.map((setting) => SETTING_NAMES[setting]);
    const how = names.length === 0 ? '' : ` (${names.join(', ')})`;
    return `open point ${point}, ${gap}: ${reading}${how}`;
  });
