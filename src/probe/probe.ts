import { OPEN_POINTS, type OpenPoint, type Point } from '../messaging/open-points.ts';
import { PROBED_LISTS } from '../messaging/probed.ts';
import { explain } from './explain.ts';
import { compareFields, type FieldsFinding } from './fields.ts';
import { type Found, unknown } from './found.ts';
import { KnownList } from './known-list.ts';
import {
  chooseList,
  isPage,
  type ListPage,
  readPage,
  readWithin,
  toPage,
} from './lists.ts';
import { findMaxLimit, type MaxLimit } from './max-limit.ts';
import { describeNouns } from './nouns.ts';
import { PagingStudy, studyPaging } from './paging.ts';
import { describePaging, toPagingSettings } from './paging-report.ts';
import {
  describeRefusals,
  findRateLimits,
  findSuccessStatuses,
  findVersions,
  provokeRefusals,
  type RefusalStatuses,
} from './responses.ts';
import { ProbeError, type Reply, type Session, Stopped } from './session.ts';
import { findOrder, findTimestampUnit } from './times.ts';

/** What a probe found out about a service. */
export interface ProbeReport {
  readonly url: string;
  readonly points: readonly (Found & {
    readonly number: number;
    readonly title: string;
  })[];
  readonly fields: FieldsFinding;
  /** Settings of the gateway, by name; only those the probe has evidence for. */
  readonly settings: Readonly<Record<string, string>>;
  readonly calls: number;
  /** Why the probe ended early; null if it did not. */
  readonly stopped: string | null;
}

/** In a complete list of fewer items, the next page looks like the first one. */
const MIN_ITEMS = 3;

/** What the probe has found so far. It grows step by step, so that a probe that ends early can report it. */
class Study {
  /** Of each list that can be read, the longest one seen. */
  pages: readonly ListPage[] = [];
  refusals: RefusalStatuses = {};
  maxLimit: Found<MaxLimit> | null = null;
  /** Null while no list is long enough. */
  paging: PagingStudy | null = null;
}

/**
 * Finds out, with reads only, how a live service settles the open points of the interface. Throws ProbeError if that is
 * impossible: no service at the address, a token that it rejects, another interface.
 */
export async function probe(session: Session): Promise<ProbeReport> {
  const { url, maxCalls, onProgress } = session.target;
  onProgress(`At most ${maxCalls} reads from ${url}; nothing is written.`);
  const study = new Study();
  try {
    await run(session, study);
    return conclude(session, study, null);
  } catch (error) {
    if (error instanceof Stopped) return conclude(session, study, error.message);
    throw error;
  }
}

/** Runs all steps, the most expensive ones last. */
async function run(session: Session, study: Study): Promise<void> {
  study.pages = await readFirstPages(session);
  study.refusals = await provokeRefusals(session, study.pages);
  const search = { session, longest: chooseList(study.pages) };
  const others = study.pages.filter((page) => page !== search.longest);
  study.maxLimit = await findMaxLimit(search);
  const { longest } = search;
  study.pages = [longest, ...others];
  if (!longest.hasMore && longest.ids.length < MIN_ITEMS) return;
  study.paging = new PagingStudy();
  const max = study.maxLimit.finding?.max;
  const [known, other] = study.pages.map(
    (page) => new KnownList(session, page, { maxLimit: max }),
  );
  if (known !== undefined) await studyPaging(study.paging, known, other);
}

/** Reads the first page of each list; throws ProbeError if this is not the messaging interface. */
async function readFirstPages(session: Session): Promise<readonly ListPage[]> {
  const whole: ListPage[] = [];
  let trouble: Reply | null = null;
  for (const list of PROBED_LISTS) {
    const answer = await readPage(session, { list });
    if (isPage(answer)) whole.push(answer);
    else trouble = answer;
  }
  const pages: ListPage[] = [];
  for (const list of PROBED_LISTS) {
    const page = whole.find((one) => one.list === list);
    const found = page ?? (await readWithin(session, list, whole));
    if (found !== null) pages.push(found);
  }
  if (pages.length > 0 || trouble === null) return pages;
  const { subject, words } = explain(trouble, session.target);
  throw new ProbeError(
    `The ${subject} does not fit: ${words}. "messaging-graphql check" says what to change.`,
  );
}

const ONLY_WRITING = unknown('only a write would show it, and the probe does not write');

/** Writes the report, from the study and from every response of the session. */
function conclude(session: Session, study: Study, stopped: string | null): ProbeReport {
  const { responses, calls, target } = session;
  const pages = responses.flatMap((response) => toPage(response) ?? []);
  const bodies = pages.map(({ json }) => json);
  const seen = PROBED_LISTS.map((list) => {
    const parts = pages.filter(({ route }) => route === list.path.route);
    const items = parts.flatMap((page) => page.items);
    const unique = new Map(items.map((item) => [item.id ?? item, item]));
    return { list, items: [...unique.values()] };
  });
  const unit = findTimestampUnit(seen);
  const maxLimit =
    study.maxLimit ??
    unknown(`the probe did not search for it: ${stopped ?? 'there was no list'}`);
  const max = maxLimit.finding?.max ?? null;
  const paging = describePaging(study.paging, max, stopped, bodies);
  const found = {
    ...describeNouns(seen),
    4: unit,
    5: ONLY_WRITING,
    6: findSuccessStatuses(responses),
    7: ONLY_WRITING,
    8: paging,
    9: findOrder(study.pages),
    10: ONLY_WRITING,
    11: ONLY_WRITING,
    12: ONLY_WRITING,
    13: unknown('reads do not show how long a token is valid, or where it comes from'),
    14: unknown('the interface has no events to read'),
    15: describeRefusals(study.refusals, responses),
    16: maxLimit,
    17: findRateLimits(responses),
    19: findVersions(responses),
  } satisfies Record<OpenPoint, Found>;
  return {
    url: target.url,
    points: Object.entries<Point>(OPEN_POINTS).map(([key, { title }]) => {
      const number = Number(key) as OpenPoint;
      return { number, title, ...found[number] };
    }),
    fields: compareFields(seen, bodies),
    settings: {
      MESSAGING_URL: target.url,
      ...toPagingSettings(paging.finding),
      ...(max !== null && { MAX_LIMIT: String(max) }),
      ...(unit.finding !== null && { TIMESTAMP_UNIT: unit.finding }),
    },
    calls,
    stopped,
  };
}
