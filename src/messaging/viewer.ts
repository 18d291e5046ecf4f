import type { GatewayContext } from '../resolvers/context.ts';
import type { Loader } from '../resolvers/loaders.ts';
import { nullIfUnknown } from '../rest/errors.ts';
import { type Conversation, conversations } from './conversation.ts';
import { type Contact, type Message, messages } from './message.ts';

// Who the caller is, as a contact. The interface has no endpoint for it, but shows it in two places: the answer to a sent
// message, and a conversation without a group, where each message that is not from `contact_id` is the caller's.

/** What `Query.viewer` costs: the message that showed the caller last and two calls, or the conversations and two of them. */
export const SEARCH_CALLS = 3;
/** Longer ids are not kept. Unit: characters. */
const MAX_ID_LENGTH = 128;

/** Keeps for the caller that it sent this message. */
export function noteOwn(
  { id, contact, createdAt }: Message,
  { viewer }: GatewayContext,
): void {
  if (Math.max(id.length, contact.id.length) > MAX_ID_LENGTH) return;
  const known = viewer.find();
  if (known?.id === contact.id && known.shownAt >= createdAt) return;
  Object.assign(viewer.get(), { id: contact.id, shownBy: id, shownAt: createdAt });
}

/** Whether the caller sent a message; null if that is not known. Waits for `viewer`, if the operation selects it. */
export async function isOwn(
  message: Message,
  conversation: Conversation | null,
  context: GatewayContext,
): Promise<boolean | null> {
  const shown = isShownAsOwn(message, conversation, context);
  if (shown !== null) return shown;
  await searches.get(context)?.catch(() => null);
  return isShownAsOwn(message, conversation, context);
}

/** The same for a message whose conversation has to be read, if it is needed. */
export async function findOwn(
  message: Message,
  context: GatewayContext,
): Promise<boolean | null> {
  const isKnown = context.viewer.find() !== undefined;
  return isOwn(
    message,
    isKnown ? null : await readConversation(message, context),
    context,
  );
}

const readConversation = ({ conversationId }: Message, { loaders }: GatewayContext) =>
  loaders.of(conversations).load(conversationId);

function isShownAsOwn(
  message: Message,
  conversation: Conversation | null,
  context: GatewayContext,
): boolean | null {
  const known = context.viewer.find();
  if (known !== undefined) return message.contact.id === known.id;
  if (conversation === null || !isWithOneContact(conversation)) return null;
  const isTheirs = message.contact.id === conversation.contactId;
  if (!isTheirs) noteOwn(message, context);
  return !isTheirs;
}

/** Whether it has no group. Open point: both contact_id and group_id. */
export const isWithOneContact = ({ contactId, groupId }: Conversation): boolean =>
  contactId !== null && groupId === null;

/** By operation, because a call is made once, however often the field is selected. */
const searches = new WeakMap<GatewayContext, Promise<Contact | null>>();

/** The caller as a contact; null if the messages that are looked at do not show it. Makes SEARCH_CALLS calls at most. */
export function findViewer(context: GatewayContext): Promise<Contact | null> {
  const search = searches.get(context) ?? searchViewer(context);
  searches.set(context, search);
  return search;
}

async function searchViewer(context: GatewayContext): Promise<Contact | null> {
  const { loaders, send, readHead, viewer } = context;
  let calls = SEARCH_CALLS;
  const known = viewer.find();
  if (known !== undefined) {
    const message = await loaders.of(messages).load(known.shownBy);
    if (message?.contact.id === known.id) return message.contact;
    calls -= 1;
  }
  const all = await readHead(conversations.list(send, {}), conversations);
  calls -= 1;
  const searched = all
    .flatMap(({ value }) => (value instanceof Error ? [] : [value]))
    .filter(isWithOneContact)
    // The last that were active first: some are empty.
    .sort((a, b) => (b.lastActiveAt ?? 0) - (a.lastActiveAt ?? 0))
    .slice(0, calls);
  for (const { id, contactId } of searched) {
    const list = messages.list(send, { conversationId: id });
    const items = (await readHead(list, messages).catch(nullIfUnknown)) ?? [];
    for (const { value } of items) {
      if (value instanceof Error || value.contact.id === contactId) continue;
      noteOwn(value, context);
      return value.contact;
    }
  }
  return null;
}

/** What the messages that one operation has read show of its caller. Begun again when it has read more of them. */
interface Shown {
  readonly count: number;
  /** The conversations whose messages were searched for one of the caller's. */
  readonly searched: Set<string>;
  usernames: ReadonlySet<string> | null;
}

const shown = new WeakMap<Loader<Message>, Shown>();

function shownBy(read: Loader<Message>): Shown {
  const known = shown.get(read);
  if (known?.count === read.count) return known;
  const fresh = { count: read.count, searched: new Set<string>(), usernames: null };
  shown.set(read, fresh);
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
  const { loaders, viewer } = context;
  const read = loaders.of(messages);
  if (viewer.find() === undefined) await searchPages(message, context);
  const found = await searches.get(context)?.catch(() => null);
  if (found) return found.username;
  const id = viewer.find()?.id;
  if (id === undefined) return null;
  const all = shownBy(read);
  all.usernames ??= new Set(
    Array.from(read.all())
      .filter(({ contact }) => contact.id === id)
      .map(({ contact }) => contact.username),
  );
  const usernames = new Set(all.usernames);
  if (message.contact.id === id) usernames.add(message.contact.username);
  const [username = null] = usernames;
  return usernames.size === 1 ? username : null;
}

/** Searches what was read of the conversation of a message for a message of the caller's. */
async function searchPages(message: Message, context: GatewayContext): Promise<void> {
  const conversation = await readConversation(message, context);
  if (isShownAsOwn(message, conversation, context)) return;
  const read = context.loaders.of(messages);
  const { searched } = shownBy(read);
  if (searched.has(message.conversationId)) return;
  searched.add(message.conversationId);
  for (const other of read.all())
    if (
      other.conversationId === message.conversationId &&
      isShownAsOwn(other, conversation, context)
    )
      return;
}
