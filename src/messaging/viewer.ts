import type { GatewayContext } from '../resolvers/context.ts';
import type { Loader } from '../resolvers/loaders.ts';
import { RestStatusError } from '../rest/errors.ts';
import { isRefusedRequest } from '../rest/status.ts';
import { type Conversation, conversations } from './conversation.ts';
import { type Contact, type Message, messages } from './message.ts';

// Who the caller is, as a contact. The interface has no endpoint for it, but shows it in two places: the answer to a sent
// message, and a conversation without a group, where each message that is not from `contact_id` is the caller's.

/**
 * The most calls of `viewer`: the conversations, then the messages of two of them. For a known caller, the message that showed it
 * replaces one of the two, and is usually the only call.
 */
export const SEARCH_CALLS = 3;
/** Longer ids are not kept. Unit: characters. */
const MAX_ID_LENGTH = 128;

/** Who a caller is, for the service. Nothing else of it is kept. */
interface ViewerState {
  id: string;
  /** The id of the newest message that is known to show it, and when that was created, in the service's unit. */
  shownBy: string;
  shownAt: number;
}

const stateOf = (context: GatewayContext) =>
  context.ownState<ViewerState>('viewer', () => ({
    id: '',
    shownBy: '',
    shownAt: Number.NEGATIVE_INFINITY,
  }));

/** Of one operation. */
interface Viewer {
  readonly known: ReturnType<typeof stateOf>;
  /** The search is made once, however often `viewer` is selected. Null if it is not. */
  search: Promise<Contact | null> | null;
}

const viewers = new WeakMap<GatewayContext, Viewer>();

function viewerOf(context: GatewayContext): Viewer {
  const made = viewers.get(context);
  if (made !== undefined) return made;
  const fresh = { known: stateOf(context), search: null };
  viewers.set(context, fresh);
  return fresh;
}

/** Whether it is known who the caller is. */
export const isViewerKnown = (context: GatewayContext): boolean =>
  viewerOf(context).known.find() !== undefined;

/** Keeps that the caller sent this message. */
export function learnCaller(
  { id, contact, createdAt }: Message,
  context: GatewayContext,
): void {
  if (Math.max(id.length, contact.id.length) > MAX_ID_LENGTH) return;
  const viewer = viewerOf(context).known;
  const known = viewer.find();
  if (known?.id === contact.id && known.shownAt >= createdAt) return;
  Object.assign(viewer.get(), { id: contact.id, shownBy: id, shownAt: createdAt });
}

/** Whether the caller sent a message of this conversation; null if that is not known. Waits for `viewer`, if it is selected. */
export async function isSentByCaller(
  message: Message,
  conversation: Conversation | null,
  context: GatewayContext,
): Promise<boolean | null> {
  const known = senderIsCaller(message, conversation, context);
  if (known !== null) return known;
  await searched(context);
  return senderIsCaller(message, conversation, context);
}

/** The same; reads the conversation of the message if the caller is not known. */
export async function findIfSentByCaller(
  message: Message,
  context: GatewayContext,
): Promise<boolean | null> {
  const viewer = viewerOf(context).known;
  if (viewer.find() === undefined) await searched(context);
  const conversation = viewer.find() ? null : await readConversation(message, context);
  return senderIsCaller(message, conversation, context);
}

const readConversation = ({ conversationId }: Message, { loaders }: GatewayContext) =>
  loaders.of(conversations).load(conversationId);

/** Learns who the caller is, if this message shows it. */
function senderIsCaller(
  message: Message,
  conversation: Conversation | null,
  context: GatewayContext,
): boolean | null {
  const known = viewerOf(context).known.find();
  if (known !== undefined) return message.contact.id === known.id;
  if (conversation === null || !isWithOneContact(conversation)) return null;
  // The service may ignore the filter of a list, or spell ids in several ways.
  if (message.conversationId !== conversation.id) return null;
  const isTheirs = message.contact.id === conversation.contactId;
  if (!isTheirs) learnCaller(message, context);
  return !isTheirs;
}

/** Whether it has no group. Open point: both contact_id and group_id. */
export const isWithOneContact = ({ contactId, groupId }: Conversation): boolean =>
  contactId !== null && groupId === null;

/** Waits for the search of this operation, if there is one. */
const searched = (context: GatewayContext): Promise<Contact | null> =>
  viewerOf(context).search?.catch(() => null) ?? NOT_SEARCHED;
const NOT_SEARCHED = Promise.resolve(null);

/** The caller as a contact; null if the messages that are looked at do not show it. Makes SEARCH_CALLS calls at most. */
export function findViewer(context: GatewayContext): Promise<Contact | null> {
  const viewer = viewerOf(context);
  viewer.search ??= searchViewer(context);
  return viewer.search;
}

/** The same, without regard to earlier searches of the operation: the username may have changed. */
export function findViewerAnew(context: GatewayContext): Promise<Contact | null> {
  viewerOf(context).search = null;
  return findViewer(context);
}

async function searchViewer(context: GatewayContext): Promise<Contact | null> {
  const { loaders, send, readHead } = context;
  let calls = SEARCH_CALLS;
  const known = viewerOf(context).known.find();
  if (known !== undefined) {
    const message = await loaders.of(messages).load(known.shownBy).catch(nullIfRefused);
    if (message?.contact.id === known.id) return message.contact;
    // Another message is to show it from now on.
    known.shownAt = Number.NEGATIVE_INFINITY;
    calls -= 1;
  }
  const items = await readHead(conversations.list(send, {}), conversations);
  calls -= 1;
  const candidates = items
    .flatMap(({ value }) => (value instanceof Error ? [] : [value]))
    .filter(isWithOneContact)
    // The most recently active first, because a conversation without messages shows nobody.
    .sort((a, b) => (b.lastActiveAt ?? 0) - (a.lastActiveAt ?? 0))
    .slice(0, calls);
  for (const { id, contactId } of candidates) {
    const list = messages.list(send, { conversationId: id });
    const items = (await readHead(list, messages).catch(nullIfRefused)) ?? [];
    for (const { value } of items) {
      if (value instanceof Error || value.conversationId !== id) continue;
      if (value.contact.id === contactId) continue;
      learnCaller(value, context);
      return value.contact;
    }
  }
  return null;
}

/** For `.catch`: null if the service does not give this object to the caller. */
function nullIfRefused(error: unknown): null {
  if (error instanceof RestStatusError && isRefusedRequest(error.details.status))
    return null;
  throw error;
}

/** What the messages read so far in one operation show about its caller. Made anew whenever more were read. */
interface Findings {
  readonly count: number;
  /** The conversations whose messages were searched for one of the caller's. */
  readonly conversationIds: Set<string>;
  usernames: ReadonlySet<string> | null;
}

const findings = new WeakMap<Loader<Message>, Findings>();

function findingsOf(read: Loader<Message>): Findings {
  const known = findings.get(read);
  if (known?.count === read.count) return known;
  const fresh = {
    count: read.count,
    conversationIds: new Set<string>(),
    usernames: null,
  };
  findings.set(read, fresh);
  return fresh;
}

/**
 * Under which username the caller reacts to a message; null if that is not known. Usernames may change, so none is kept: `viewer` shows
 * it, or the messages that the operation has read. If these show several, it is not known.
 */
export async function findUsername(
  message: Message,
  context: GatewayContext,
): Promise<string | null> {
  const found = await searched(context);
  if (found !== null) return found.username;
  const viewer = viewerOf(context).known;
  if (viewer.find() === undefined) await searchConversation(message, context);
  const id = viewer.find()?.id;
  if (id === undefined) return null;
  const read = context.loaders.of(messages);
  const own = findingsOf(read);
  own.usernames ??= new Set(
    Array.from(read.all())
      .filter(({ contact }) => contact.id === id)
      .map(({ contact }) => contact.username),
  );
  const [username = null] = own.usernames;
  return own.usernames.size === 1 ? username : null;
}

/** Searches what was read of the conversation of a message for a message of the caller's, which shows who that is. */
async function searchConversation(
  message: Message,
  context: GatewayContext,
): Promise<void> {
  const conversation = await readConversation(message, context);
  if (conversation === null || !isWithOneContact(conversation)) return;
  const read = context.loaders.of(messages);
  const { conversationIds } = findingsOf(read);
  if (conversationIds.has(message.conversationId)) return;
  conversationIds.add(message.conversationId);
  for (const other of read.all())
    if (
      other.conversationId === message.conversationId &&
      senderIsCaller(other, conversation, context)
    )
      return;
}
