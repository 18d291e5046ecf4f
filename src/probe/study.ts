import { chooseList, type FirstPages, readFirstPages } from './list.ts';
import { findMaxLimit, type MaxLimit } from './max-limit.ts';
import { createPagingStudy, type PagingStudy, studyPaging } from './paging.ts';
import { provokeRefusals, type RefusalStatuses } from './refusals.ts';
import type { Session } from './session.ts';

/** What the probe has found so far. It grows step by step, so that a probe that ends early can report it. */
export interface Study {
  firstPages: FirstPages;
  refusals: RefusalStatuses;
  maxLimit: MaxLimit | null;
  /** Null while no list is long enough. */
  paging: PagingStudy | null;
}

/** In a complete list of fewer items, the next page looks like the first one. */
const MIN_ITEMS = 3;

export const createStudy = (): Study => ({
  firstPages: { messages: null, conversations: null },
  refusals: { unknownMessage: null, unknownConversation: null, badToken: null },
  maxLimit: null,
  paging: null,
});

/** Runs all steps, the most expensive ones last. Throws Stopped when the probe must end early. */
export async function runStudy(session: Session, study: Study): Promise<void> {
  study.firstPages = await readFirstPages(session);
  const { messages, conversations } = study.firstPages;
  study.refusals = await provokeRefusals(session, study.firstPages);

  const chosen = chooseList(study.firstPages);
  if (chosen === null) return;
  study.maxLimit = await findMaxLimit(session, chosen);
  const { longest: first, max } = study.maxLimit;
  if (!first.hasMore && first.ids.length < MIN_ITEMS) return;
  study.paging = createPagingStudy();
  const other = chosen === messages ? conversations : messages;
  await studyPaging(session, study.paging, { first, other, maxLimit: max });
}
