import type { Asker } from './asker.ts';
import { findBack, findUnknownCursor, type UnknownCursor, worksIn } from './beside.ts';
import { type Cap, findCap } from './cap.ts';
import { type Ground, refresh, toGround } from './known-list.ts';
import type { Head } from './list.ts';
import { chooseMain, type Heads, lookAround } from './look.ts';
import { findNext, type NextParam, type Tried } from './next.ts';
import { provokeRefusals, type Refusals } from './refusals.ts';

/** What has been found so far; it grows while the probe asks, so that an early end keeps it. */
export interface Study {
  heads: Heads;
  refusals: Refusals;
  /** Null until pages of several lengths were asked for. */
  cap: Cap | null;
  /** Null while no list is long enough to page through. */
  ground: Ground | null;
  readonly tried: Tried[];
  next: NextParam | null;
  /** Whether every name was tried, or one was found. */
  isSearched: boolean;
  unknownCursor: UnknownCursor | null;
  /** Whether items of the list went away meanwhile: a name may have been tried on one that was gone. */
  hasLost: boolean;
  /** Whether the parameter works in the other list too; null if that is too short to say. */
  inOtherList: boolean | null;
  backParam: string | null;
}

/** In a shorter list that is seen whole, a page that moves looks like one that does not. */
const SHORTEST_LIST = 3;
/** Among so many items at the head is every one that names are tried on. */
const ANCHORS = 7;

export const createStudy = (): Study => ({
  heads: { messages: null, conversations: null },
  refusals: { unknownMessage: null, unknownConversation: null, badToken: null },
  cap: null,
  ground: null,
  tried: [],
  next: null,
  isSearched: false,
  unknownCursor: null,
  hasLost: false,
  inOtherList: null,
  backParam: null,
});

/** Asks everything there is to ask, what costs most calls last; throws Stopped when it must end early. */
export async function conduct(
  asker: Asker,
  stranger: Parameters<typeof provokeRefusals>[2],
  study: Study,
): Promise<void> {
  study.heads = await lookAround(asker);
  const { messages, conversations } = study.heads;
  const known = {
    messages: messages?.ids ?? [],
    conversations: conversations?.ids ?? [],
  };
  study.refusals = await provokeRefusals(asker, known, stranger);

  const main = chooseMain(study.heads);
  if (main === null) return;
  study.cap = await findCap(asker, main);
  const { head, max } = study.cap;
  if (!head.hasMore && head.ids.length < SHORTEST_LIST) return;
  await studyPaging(asker, study, {
    head,
    other: main === messages ? conversations : messages,
    max,
  });
}

async function studyPaging(
  asker: Asker,
  study: Study,
  { head, other, max }: { head: Head; other: Head | null; max: number | null },
): Promise<void> {
  const ground = toGround(head, max);
  study.ground = ground;
  const askedBeside = ground.known.slice(0, ANCHORS);
  const next = await findNext(asker, ground, study.tried);
  study.isSearched = true;
  study.next = next;
  if (next === null) {
    await refresh(asker, ground);
    study.hasLost = !askedBeside.every((id) => ground.known.includes(id));
    return;
  }
  if (other !== null)
    study.inOtherList = await worksIn(asker, toGround(other, max), next);
  if (next.style !== 'starting_after') return;
  study.unknownCursor = await findUnknownCursor(asker, ground, next.name);
  study.backParam = await findBack(asker, ground, { next, tried: study.tried });
}
