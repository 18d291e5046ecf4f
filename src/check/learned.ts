import type { Config } from '../config.ts';
import { compareFields } from '../probe/fields.ts';
import { chooseList, type FirstPage, type FirstPages, readPage } from '../probe/list.ts';
import { type NextParameter, worksIn } from '../probe/paging.ts';
import type { Session } from '../probe/session.ts';
import { findTimestampUnit } from '../probe/timestamp-unit.ts';
import { toKnownList } from '../probe/trials.ts';
import { type Finding, fitting, unfit } from './finding.ts';

/** The longest page that is asked for, whatever MAX_LIMIT allows. Unit: items. */
const LONGEST_PAGE = 1000;

/** What the service's answers show about it, beside the settings that say the same. */
export async function learn(
  session: Session,
  config: Config,
  pages: FirstPages,
): Promise<readonly Finding[]> {
  const list = chooseList(pages);
  return [
    learnTimestampUnit(config, pages),
    ...learnFields(pages),
    ...(list === null
      ? []
      : [
          await learnLimit(session, config, list),
          await learnPaging(session, config, list),
        ]),
  ];
}

/** Open point: timestamp unit. */
function learnTimestampUnit({ timestampUnit }: Config, pages: FirstPages): Finding {
  const items = [...(pages.messages?.items ?? []), ...(pages.conversations?.items ?? [])];
  const { finding, evidence } = findTimestampUnit(items);
  if (finding === null)
    return fitting('learned', `timestamps: their unit is unknown: ${evidence}`);
  if (timestampUnit === null || timestampUnit === finding) {
    return fitting('learned', `timestamps: ${finding} (${evidence})`);
  }
  return unfit(
    'settings',
    `TIMESTAMP_UNIT=${timestampUnit}, but the service counts ${finding} (${evidence})`,
    `Remove TIMESTAMP_UNIT, or set TIMESTAMP_UNIT=${finding}`,
  );
}

function learnFields({ messages, conversations }: FirstPages): Finding[] {
  const { missing, otherType, unknown } = compareFields({
    pages: [],
    messages: messages?.items ?? [],
    conversations: conversations?.items ?? [],
  });
  const lines = [
    ['in the interface, but not sent', missing],
    ['sent with another type', otherType],
    ['sent, but not in the interface', unknown],
  ] as const;
  const found = lines.filter(([, names]) => names.length > 0);
  return found.length === 0
    ? [fitting('learned', 'fields: as in the interface')]
    : found.map(([what, names]) =>
        fitting('learned', `fields ${what}: ${names.join(', ')}`),
      );
}

/** Open point: maximum limit. */
async function learnLimit(
  session: Session,
  { maxLimit, maxPageSize }: Config,
  list: FirstPage,
): Promise<Finding> {
  const limit = Math.min(maxLimit ?? maxPageSize, LONGEST_PAGE);
  const purpose = `is limit=${limit} accepted?`;
  const result = await readPage(session, list.list, { purpose, query: { limit } });
  if (result.kind === 'trouble') {
    return fitting('learned', `pages: limit=${limit} got no readable answer`);
  }
  const judge = (words: string, change: string) =>
    maxLimit === null
      ? fitting('learned', `pages: ${words}; the gateway notices that by itself`)
      : unfit('settings', `MAX_LIMIT=${maxLimit}, but ${words}`, change);
  if (result.kind === 'refused') {
    return judge(
      `limit=${limit} is refused (${result.status})`,
      'Set MAX_LIMIT to the most items that the service accepts: "messaging-graphql probe" finds it.',
    );
  }
  const { ids, hasMore } = result.page;
  if (ids.length >= limit) {
    return fitting('learned', `pages: limit=${limit} returns as many items`);
  }
  return hasMore
    ? judge(
        `limit=${limit} returns only ${ids.length} items`,
        `Remove MAX_LIMIT, or set MAX_LIMIT=${ids.length}`,
      )
    : fitting(
        'learned',
        `pages: limit=${limit} is accepted; the list has ${ids.length} items`,
      );
}

/** The parameters that `auto` tries, in its order. */
const TRIED = ['starting_after', 'offset', 'page'] as const;

/** Open point: pagination parameter. */
function learnPaging(
  session: Session,
  { paging, pagingParam }: Config,
  list: FirstPage,
): Promise<Finding> | Finding {
  if (paging === 'auto') return learnStyle(session, list);
  if (paging === 'limit') {
    return fitting(
      'learned',
      'paging: PAGING=limit works with every service. Without it, the gateway learns a cheaper way, if there is one',
    );
  }
  return learnSetting(session, { style: paging, name: pagingParam ?? paging }, list);
}

async function learnStyle(session: Session, list: FirstPage): Promise<Finding> {
  const known = toKnownList(list, null);
  for (const style of TRIED) {
    const works = await worksIn(session, known, { name: style, style, isSure: true });
    if (works === null) return fitting('learned', `paging: ${TOO_SHORT}`);
    if (works) return fitting('learned', `paging: the parameter "${style}" works`);
  }
  return fitting(
    'learned',
    'paging: none of the usual parameters works, so lists are read with "limit" alone. "messaging-graphql probe" looks for others',
  );
}

const TOO_SHORT = 'it cannot be judged, because no list is long enough';

async function learnSetting(
  session: Session,
  { style, name }: Pick<NextParameter, 'style' | 'name'>,
  list: FirstPage,
): Promise<Finding> {
  const setting = `PAGING=${style} with the parameter "${name}"`;
  const next = { name, style, isSure: true };
  const known = toKnownList(list, null);
  const first = await worksIn(session, known, next);
  // A list that changes in between may look as if the parameter did not work.
  const works = first === false ? await worksIn(session, known, next) : first;
  if (works === null) return fitting('learned', `paging: ${setting}: ${TOO_SHORT}`);
  return works
    ? fitting('learned', `paging: ${setting} fits`)
    : unfit(
        'settings',
        `${setting} does not give the next page`,
        'Set PAGING and PAGING_PARAM to what "messaging-graphql probe" finds; or remove both, and the gateway learns how the service pages.',
      );
}
