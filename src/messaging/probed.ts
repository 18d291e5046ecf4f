import type { Reads } from '../rest/reads.ts';
import { conversations } from './conversation.ts';
import { messages } from './message.ts';

/** One of the service's lists, as the probe and the check examine it. */
export interface ProbedList extends Omit<Reads<unknown, never>, 'list' | 'get'> {
  /** Some services list only the items of one object in another list. */
  readonly within?: { readonly list: ProbedList; readonly filter: string };
}

const CONVERSATIONS: ProbedList = conversations;
export const MESSAGES: ProbedList = {
  ...messages,
  within: { list: CONVERSATIONS, filter: 'conversation_id' },
};

/** The lists, the one that shows most first. */
export const PROBED_LISTS: readonly [ProbedList, ...ProbedList[]] = [
  MESSAGES,
  CONVERSATIONS,
];
