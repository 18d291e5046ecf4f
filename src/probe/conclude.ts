import type { WireObject } from '../rest/decode.ts';
import type { Asker, Note } from './asker.ts';
import { findAttachments } from './attachments.ts';
import { compareFields } from './fields.ts';
import { type Found, unknown } from './found.ts';
import { CONVERSATIONS, isObject, type ListPage, MESSAGES, toPage } from './list.ts';
import { findOrder } from './order.ts';
import { describePaging } from './paging.ts';
import { findRateLimits } from './rate.ts';
import { describeRefusals, successStatuses } from './refusals.ts';
import {
  type Findings,
  type OpenPoint,
  type PointReport,
  type ProbeReport,
  TITLES,
} from './report.ts';
import { toSettings } from './settings.ts';
import type { Study } from './study.ts';
import { findUnit } from './unit.ts';
import { describeSilent } from './unread.ts';

/** Draws the conclusions from everything that was answered. */
export function conclude(
  study: Study,
  { url, asker, stopped }: { url: string; asker: Asker; stopped: string | null },
): ProbeReport {
  const { notes, calls } = asker;
  const messages = itemsOf(notes, MESSAGES.path.route);
  const conversations = itemsOf(notes, CONVERSATIONS.path.route);
  const pages = notes.filter((note) => toPage(note) !== null).map(({ json }) => json);
  const seen = { pages: pages.filter(isObject), messages, conversations };

  const findings: Findings = {
    2: findAttachments(messages),
    4: findUnit([...messages, ...conversations]),
    6: successStatuses(notes),
    8: describePaging(study, { stopped, pages: seen.pages }),
    9: findOrder(longest(study, 'messages'), longest(study, 'conversations')),
    15: describeRefusals(study.refusals, notes),
    16: describeCap(study, stopped),
    17: findRateLimits(notes),
  };
  return {
    url,
    points: toPoints({ ...describeSilent({ ...seen, notes }), ...findings }),
    fields: compareFields(seen),
    settings: toSettings(url, findings),
    calls,
    stopped,
  };
}

/** In the order of the numbers, which is how records keep such keys. */
const toPoints = (found: Partial<Record<OpenPoint, Found<unknown>>>): PointReport[] =>
  Object.entries(TITLES).map(
    ([number, title]) =>
      ({
        number: Number(number),
        title,
        ...found[Number(number) as OpenPoint],
      }) as PointReport,
  );

function describeCap({ cap }: Study, stopped: string | null): Findings[16] {
  if (cap === null) return unknown(`it was not looked for: ${stopped ?? 'no list'}`);
  const { max, atLeast, above, isConfirmed, evidence } = cap;
  if (max === null && atLeast === 0) return unknown(evidence);
  const words =
    max === null
      ? `none seen: at least ${atLeast}`
      : `${max}; above it ${above === 'capped' ? `pages have ${max}` : `refused with ${above}`}`;
  const confidence = isConfirmed ? 'certain' : 'likely';
  return { finding: { max, atLeast, above }, words, confidence, evidence };
}

/** The longest page from the head of a list. */
function longest(
  { heads, cap }: Study,
  name: 'messages' | 'conversations',
): ListPage | null {
  const head = heads[name];
  return head !== null && cap?.head.list === head.list ? cap.head : head;
}

/** Every object of a kind that was seen in a list, each once. */
function itemsOf(notes: readonly Note[], route: string): readonly WireObject[] {
  const pages = notes.filter((note) => note.route === route).map(toPage);
  const items = pages.flatMap((page) => page?.items ?? []);
  return [...new Map(items.map((item) => [item.id ?? item, item])).values()];
}
