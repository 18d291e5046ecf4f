import type {
  QueryMessagesArgs,
  SendMessageInput,
  UpdateMessageInput,
} from '../generated/types.ts';
import { type Decoded, decoder, type WireReader } from '../rest/decode.ts';
import { BadInputError, RestDecodeError } from '../rest/errors.ts';
import { encodeForm, type FormRoom, joinForms, newRoom } from '../rest/form.ts';
import { checkId } from '../rest/path.ts';
import { createReads } from '../rest/reads.ts';
import type { Decide, Send } from '../rest/send.ts';
import { encodeReactions, type Reaction, toReactions } from './reactions.ts';

/** The sender of a message. Source: Contact. */
const contact = decoder('Contact', (wire) => ({
  id: wire.id('id'),
  username: wire.text('username'),
  phoneNumber: wire.textOrNull('phone_number'),
  avatarUrl: wire.textOrNull('avatar_url'),
  lastActiveAt: wire.timestampOrNull('last_active_at'),
  createdAt: wire.timestamp('created_at'),
}));
export interface Contact extends Decoded<typeof contact> {}

// Defined here, because a function inside the decoder would be made anew for each message.
const readReactions = (wire: WireReader, field: string) =>
  toReactions(wire.objects(field));
const readValues = (wire: WireReader, field: string) => wire.values(field);

/** A message. Timestamps are in the service's own unit. Source: Message. */
const message = decoder('Message', (wire) => ({
  id: wire.id('id'),
  conversationId: wire.id('conversation_id'),
  contact: wire.nested('contact', contact),
  message: wire.text('message'),
  reactions: wire.later('reactions', readReactions),
  attachments: wire.later('attachments', readValues),
  /** Null while unread. */
  readAt: wire.timestampOrNull('read_at'),
  createdAt: wire.timestamp('created_at'),
  /** Null if never edited. */
  updatedAt: wire.timestampOrNull('updated_at'),
}));
export interface Message extends Decoded<typeof message> {}

declare module '../resolvers/models.ts' {
  interface Models {
    Message: Message;
    Contact: Contact;
    /** `message`: what it is a reaction to, where its fields need that. */
    Reaction: Reaction & { readonly message?: Message };
  }
}

type Filter = Pick<QueryMessagesArgs, 'conversationId'>;
/** What is left out stays unchanged; null clears a field that can be cleared. */
type MessageUpdate = Omit<UpdateMessageInput, 'id' | 'reactions'> & {
  readonly reactions?: readonly Reaction[] | null | undefined;
};

const reads = createReads({
  name: 'messages',
  decoder: message,
  times: [['createdAt']],
  otherTimes: [['updatedAt', 'createdAt']],
  toFilters: ({ conversationId }: Filter) => ({
    conversation_id: conversationId == null ? undefined : checkId(conversationId),
  }),
});

/** The message calls. Source: Endpoints, "Messages". */
export const messages = {
  ...reads,

  create: (
    send: Send,
    message: SendMessageInput,
    decide?: Decide<Message>,
  ): Promise<Message> =>
    send.write('POST', reads.path, {
      encode: (room) => encodeNew(message, room),
      read: reads.readOne,
      decide,
    }),

  update: (
    send: Send,
    id: string,
    change: MessageUpdate,
    mayBegin?: () => boolean,
  ): Promise<Message> =>
    send.write('PUT', reads.toItemPath(id), {
      encode: (room) => encodeChange(change, room),
      read: reads.readOne,
      mayBegin,
    }),

  delete: (send: Send, id: string): Promise<void> => send.delete(reads.toItemPath(id)),
};

/** For errors. */
const AN_ATTACHMENT = 'An attachment';

type NewMessage = Pick<SendMessageInput, 'conversationId' | 'message'> & {
  readonly attachments?: readonly unknown[] | null | undefined;
};

const encodeNew = (
  { conversationId, message, attachments }: NewMessage,
  room: FormRoom,
): string =>
  encodeForm(
    {
      conversation_id: checkId(conversationId),
      message,
      // An empty list is not sent, because a new message has no attachments to clear.
      attachments: attachments?.length ? attachments : undefined,
    },
    { room, nested: AN_ATTACHMENT },
  );

/** The form with which a message may have been sent; null if there is none. */
export function toForm(message: Message): string | null {
  try {
    return encodeNew({ ...message, attachments: message.attachments.value }, newRoom());
  } catch (error) {
    if (error instanceof BadInputError || error instanceof RestDecodeError) return null;
    throw error;
  }
}

function encodeChange(
  { message, reactions, attachments }: MessageUpdate,
  room: FormRoom,
): string {
  if (message === null) throw new BadInputError('`message` cannot be null.');
  const form = joinForms(
    encodeForm({ message }, { room }),
    encodeReactions(reactions, room),
    encodeForm({ attachments }, { room, nested: AN_ATTACHMENT }),
  );
  if (form === '') {
    throw new BadInputError(
      'Give at least one of `message`, `reactions`, `attachments`.',
    );
  }
  return form;
}
