import { type Asker, isSuccess, type Note } from './asker.ts';
import { ProbeError } from './errors.ts';
import {
  CONVERSATIONS,
  type Head,
  type ListAddress,
  MESSAGES,
  messagesOf,
  readList,
} from './list.ts';

/** What the account holds, as far as a first look shows. Null: that list could not be read. */
export interface Heads {
  readonly messages: Head | null;
  readonly conversations: Head | null;
}

/** So many conversations are looked into where all messages cannot be listed at once. */
const MOST_LOOKED_INTO = 4;

/** Reads the first page of both lists; throws ProbeError where this is not the interface. */
export async function lookAround(asker: Asker): Promise<Heads> {
  const all = await readHead(asker, MESSAGES, 'the first messages');
  const conversations = await readHead(asker, CONVERSATIONS, 'the first conversations');
  const messages = all ?? (await longestConversation(asker, conversations));
  if (messages === null && conversations === null) throw toProbeError(asker);
  return { messages, conversations };
}

/** The list that shows most: one that goes on, messages rather than conversations, or else the longer. */
export function chooseMain({ messages, conversations }: Heads): Head | null {
  if (messages === null || conversations === null) return messages ?? conversations;
  if (messages.hasMore) return messages;
  if (conversations.hasMore) return conversations;
  return conversations.ids.length > messages.ids.length ? conversations : messages;
}

async function readHead(
  asker: Asker,
  list: ListAddress,
  purpose: string,
): Promise<Head | null> {
  const reading = await readList(asker, list, { purpose, query: {} });
  return reading.kind === 'page' ? { ...reading.page, list } : null;
}

/** A service may list messages of one conversation alone. */
async function longestConversation(
  asker: Asker,
  conversations: Head | null,
): Promise<Head | null> {
  let longest: Head | null = null;
  const ids = conversations?.ids.filter((id) => id !== '') ?? [];
  for (const id of ids.slice(0, MOST_LOOKED_INTO)) {
    const head = await readHead(asker, messagesOf(id), 'the messages of a conversation');
    if (head?.hasMore) return head;
    if (head && head.ids.length >= (longest?.ids.length ?? 0)) longest = head;
  }
  return longest;
}

function toProbeError({ notes, trouble }: Asker): ProbeError {
  const note = notes.at(-1);
  if (note === undefined) {
    const code = codeOf(trouble?.cause);
    return new ProbeError(
      `There is no answer at this address (${code ?? trouble?.message}): is it right, does the service run, and may this machine reach it?`,
    );
  }
  const statuses = [...new Set(notes.map(({ status }) => status))].join(', ');
  if (notes.every(({ status }) => status === 403)) {
    return new ProbeError(
      'The service knows this token but forbids it to read (403): give one that may list messages.',
    );
  }
  if (notes.every(({ status }) => status >= 500)) {
    return new ProbeError(`The service is in trouble (${statuses}): try again later.`);
  }
  return new ProbeError(
    `This is not the messaging interface: neither list of it answered ${wanted(note)} (status ${statuses}). Check the base address.`,
  );
}

const wanted = (note: Note): string =>
  isSuccess(note) ? 'the JSON object with "data" that it promises' : 'with success';

function codeOf(cause: unknown): string | null {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return null;
  return typeof cause.code === 'string' ? cause.code : null;
}
