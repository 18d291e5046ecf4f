import type { Conversation } from '../rest/conversation.ts';
import { isObject } from '../rest/decode.ts';
import type { Message } from '../rest/message.ts';

/** What a write through this gateway touched. Ids alone: each watch reads with the token of its own subscribers. */
export interface ChangeNotice {
  /** The conversations whose messages, or whose own fields, may have changed. */
  readonly conversationIds: readonly string[];
  /** The messages that may have changed. */
  readonly messageIds: readonly string[];
  /** Whether messages of these conversations were sent, edited or deleted. Their own fields may not show it. */
  readonly hasChangedMessages: boolean;
  /** Whether a conversation was created: then it may belong in lists that have not shown it yet. */
  readonly hasCreatedConversation: boolean;
}

/** Makes the notice of a write from the object that the service returned; null if it is not known what happened. */
type ToNotice<T> = (returned: T | null) => ChangeNotice;

const NOTHING: ChangeNotice = {
  conversationIds: [],
  messageIds: [],
  hasChangedMessages: false,
  hasCreatedConversation: false,
};

/** A message was sent to a conversation. The service may spell its id differently. */
export const messageSent =
  (id: string): ToNotice<Message> =>
  (message) => ({
    ...NOTHING,
    conversationIds: message ? [id, message.conversationId] : [id],
    hasChangedMessages: true,
  });

/** `shownIn`: the conversation of the message, if it is known before the write. */
export const messageUpdated =
  (id: string, shownIn: string | null): ToNotice<Message> =>
  (message) =>
    messageDeleted(id, message?.conversationId ?? shownIn);

export const messageDeleted = (id: string, shownIn: string | null): ChangeNotice => ({
  ...NOTHING,
  conversationIds: shownIn === null ? [] : [shownIn],
  messageIds: [id],
  hasChangedMessages: true,
});

export const conversationCreated: ToNotice<Conversation> = (conversation) => ({
  ...NOTHING,
  conversationIds: conversation ? [conversation.id] : [],
  hasCreatedConversation: true,
});

/** A conversation was updated or deleted. */
export const conversationChanged = (id: string): ChangeNotice => ({
  ...NOTHING,
  conversationIds: [id],
});

/** A notice on its way to the watches. */
export interface WritersNotice extends ChangeNotice {
  /** Names who wrote, so that watches can take turns: a key of the token that says nothing outside its process. */
  readonly writer: string;
}

type Listener = (notice: WritersNotice) => void;

/**
 * Carries notices to all watches: those of this process and, over carriers, those of other workers and replicas. A notice
 * may be lost: the next poll sees the change then.
 */
export interface ChangeBus {
  publish(notice: WritersNotice): void;
  /** Hears every notice, also those that this process published. */
  listen(listener: Listener): void;
  /** Whether other processes may hear it. */
  readonly reachesOthers: boolean;
}

/** A way to other processes. They may run another version, so what it brings may be anything. */
export interface Carrier {
  send(notice: WritersNotice): void;
  listen(listener: (received: unknown) => void): void;
}

export function createBus(carriers: readonly Carrier[] = []): ChangeBus {
  const listeners: Listener[] = [];
  const hear = (notice: WritersNotice) => {
    for (const listener of listeners) listener(notice);
  };
  for (const carrier of carriers) {
    carrier.listen((received) => {
      if (isNotice(received)) hear(received);
    });
  }
  return {
    publish(notice) {
      hear(notice);
      for (const carrier of carriers) carrier.send(notice);
    },
    listen: (listener) => listeners.push(listener),
    reachesOthers: carriers.length > 0,
  };
}

const isNotice = (value: unknown): value is WritersNotice =>
  isObject(value) &&
  typeof value.writer === 'string' &&
  isListOfTexts(value.conversationIds) &&
  isListOfTexts(value.messageIds) &&
  typeof value.hasChangedMessages === 'boolean' &&
  typeof value.hasCreatedConversation === 'boolean';

const isListOfTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
