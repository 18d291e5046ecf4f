import type {
  QueryMessagesArgs,
  SendMessageInput,
  UpdateMessageInput,
} from '../generated/types.ts';
import {
  driftChecked,
  id,
  nested,
  object,
  text,
  textOrNull,
  timestamp,
  timestampOrNull,
  values,
} from '../rest/decode.ts';
import { shape } from '../rest/drift.ts';
import { BadInputError } from '../rest/errors.ts';
import { encodeForm, type FormRoom, joinForms } from '../rest/form.ts';
import { createList, type List, page } from '../rest/list.ts';
import { checkId, path } from '../rest/path.ts';
import type { Send } from '../rest/send.ts';
import { decodeReactions, encodeReactions, type Reaction } from './reactions.ts';

/** A message. Timestamps are in the service's own unit. Source: Message. */
export interface Message {
  readonly id: string;
  readonly conversationId: string;
  readonly contact: Contact;
  readonly message: string;
  readonly reactions: readonly Reaction[];
  readonly attachments: readonly unknown[];
  /** Null while unread. */
  readonly readAt: number | null;
  readonly createdAt: number;
  /** Null if never edited. */
  readonly updatedAt: number | null;
}

/** The sender of a message. Source: Contact. */
export interface Contact {
  readonly id: string;
  readonly username: string;
  readonly phoneNumber: string | null;
  readonly avatarUrl: string | null;
  readonly lastActiveAt: number | null;
  readonly createdAt: number;
}

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

const toFilters = ({ conversationId }: Filter) => ({
  conversation_id: conversationId == null ? undefined : checkId(conversationId),
});

/** The message calls. Source: Endpoints, "Messages". */
export const messages = {
  typeName: 'Message',
  filters: Object.keys(toFilters({})),

  list: (send: Send, filter: Filter): List<Message> =>
    createList(send, {
      path: path`/messages`,
      filters: toFilters(filter),
      filtersById: filter.conversationId != null,
      times: [({ createdAt }) => createdAt],
      read: readMessages,
    }),

  // Not async: throws BadInputError at once, and saves three steps for each object.
  get: (send: Send, id: string): Promise<Message> =>
    send.get(path`/messages/${id}`, readMessage),

  create: (send: Send, message: SendMessageInput): Promise<Message> =>
    send.write('POST', path`/messages`, {
      encode: (room) => encodeNew(message, room),
      read: readMessage,
    }),

  update: (
    send: Send,
    id: string,
    change: MessageUpdate,
    mayBegin?: () => boolean,
  ): Promise<Message> =>
    send.write('PUT', path`/messages/${id}`, {
      encode: (room) => encodeChange(change, room),
      read: readMessage,
      mayBegin,
    }),

  delete: (send: Send, id: string): Promise<void> => send.delete(path`/messages/${id}`),
};

/** For errors. */
const AN_ATTACHMENT = 'An attachment';

const encodeNew = (
  { conversationId, message, attachments }: SendMessageInput,
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

/** Source: Contact. */
export const CONTACT = shape('Contact', {
  id: 'string',
  username: 'string',
  phone_number: 'string',
  avatar_url: 'string',
  last_active_at: 'number',
  created_at: 'number',
});

/** Source: Message. */
export const MESSAGE = shape('Message', {
  id: 'string',
  conversation_id: 'string',
  contact: 'object',
  message: 'string',
  reactions: 'array',
  attachments: 'array',
  read_at: 'number',
  created_at: 'number',
  updated_at: 'number',
});

const decodeContact = driftChecked(
  CONTACT,
  (wire): Contact => ({
    id: id(wire, 'id'),
    username: text(wire, 'username'),
    phoneNumber: textOrNull(wire, 'phone_number'),
    avatarUrl: textOrNull(wire, 'avatar_url'),
    lastActiveAt: timestampOrNull(wire, 'last_active_at'),
    createdAt: timestamp(wire, 'created_at'),
  }),
);

const decodeMessage = driftChecked(
  MESSAGE,
  (wire, report): Message => ({
    id: id(wire, 'id'),
    conversationId: id(wire, 'conversation_id'),
    contact: nested(wire, 'contact', decodeContact, report),
    message: text(wire, 'message'),
    reactions: decodeReactions(wire),
    attachments: values(wire, 'attachments'),
    readAt: timestampOrNull(wire, 'read_at'),
    createdAt: timestamp(wire, 'created_at'),
    updatedAt: timestampOrNull(wire, 'updated_at'),
  }),
);

const readMessage = object(decodeMessage);
export const readMessages = page(decodeMessage);
