import type { Config } from '../config.ts';
import { STYLES } from '../paging/shared-paging.ts';
import { type Finding, ok, problem } from '../probe/explain.ts';
import { compareFields, describeFields } from '../probe/fields.ts';
import { chooseList, type FirstPage, type FirstPages, readPage } from '../probe/list.ts';
import { worksIn } from '../probe/paging.ts';
import type { Session } from '../probe/session.ts';
import { findTimestampUnit } from '../probe/timestamp-unit.ts';
import { toKnownList } from '../probe/trials.ts';

/** The longest page that is asked for, whatever MAX_LIMIT allows. Unit: items. */
const LONGEST_PAGE = 1000;

/** What the service's answers show about it, beside the settings that say the same. */
export async function describeLearned(
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
    return ok('learned', `timestamps: their unit is unknown: ${evidence}`);
  if (timestampUnit === null || timestampUnit === finding) {
    return ok('learned', `timestamps: ${finding} (${evidence})`);
  }
  return problem(
    'settings',
    `TIMESTAMP_UNIT=${timestampUnit}, but the service counts ${finding} (${evidence})`,
    `Remove TIMESTAMP_UNIT, or set TIMESTAMP_UNIT=${finding}`,
  );
}

function learnFields({ messages, conversations }: FirstPages): Finding[] {
  const rows = describeFields(
    compareFields({
      pages: [],
      messages: messages?.items ?? [],
      conversations: conversations?.items ?? [],
    }),
  );
  return rows.length === 0
    ? [ok('learned', 'fields: as in the interface')]
    : rows.map(([words, names]) => ok('learned', `fields ${words}: ${names}`));
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
    return ok('learned', `pages: limit=${limit} got no readable answer`);
  }
  const shorter = (words: string, fix: string) =>
    maxLimit === null
      ? ok('learned', `pages: ${words}; the gateway notices that by itself`)
      : problem('settings', `MAX_LIMIT=${maxLimit}, but ${words}`, fix);
  if (result.kind === 'refused') {
    return shorter(
      `limit=${limit} is refused (${result.status})`,
      'Set MAX_LIMIT to the most items that the service accepts: "messaging-graphql probe" finds it.',
    );
  }
  const { ids, hasMore } = result.page;
  if (ids.length >= limit) {
    return ok('learned', `pages: limit=${limit} returns as many items`);
  }
  return hasMore
    ? shorter(
        `limit=${limit} returns only ${ids.length} items`,
        `Remove MAX_LIMIT, or set MAX_LIMIT=${ids.length}`,
      )
    : ok(
        'learned',
        `pages: limit=${limit} is accepted; the list has ${ids.length} items`,
      );
}

const TOO_SHORT = 'it cannot be judged, because no list is long enough';

/** Open point: pagination parameter. */
async function learnPaging(
  session: Session,
  { paging, pagingParam }: Config,
  list: FirstPage,
): Promise<Finding> {
  if (paging === 'limit') {
    return ok(
      'learned',
      'paging: PAGING=limit works with every service. Without it, the gateway learns a cheaper way, if there is one',
    );
  }
  const isSet = paging !== 'auto';
  const setting = `PAGING=${paging} with the parameter "${pagingParam ?? paging}"`;
  const known = toKnownList(list, null);
  // A list that changes in between may look as if the parameter did not work.
  for (const style of isSet ? [paging, paging] : STYLES) {
    const name = (isSet ? pagingParam : null) ?? style;
    const works = await worksIn(session, known, { name, style });
    if (works === null)
      return ok('learned', `paging: ${isSet ? `${setting}: ` : ''}${TOO_SHORT}`);
    if (!works) continue;
    return ok(
      'learned',
      isSet ? `paging: ${setting} fits` : `paging: the parameter "${name}" works`,
    );
  }
  return isSet
    ? problem(
        'settings',
        `${setting} does not give the next page`,
        'Set PAGING and PAGING_PARAM to what "messaging-graphql probe" finds; or remove both, and the gateway learns how the service pages.',
      )
    : ok(
        'learned',
        'paging: none of the usual parameters works, so lists are read with "limit" alone. "messaging-graphql probe" looks for others',
      );
}
