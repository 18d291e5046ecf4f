import { isObject } from '../rest/decode.ts';

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

/** A notice on its way to the watches. */
export interface WritersNotice extends ChangeNotice {
  /** Names who wrote, so that watches can take turns: a key of the token that says nothing outside its process. */
  readonly writer: string;
}

/**
 * Carries notices of changes to all watches: those of this process or, over a broker, those of all replicas. A notice may be
 * lost: the next look sees the change then.
 */
export interface ChangeBus {
  publish(notice: WritersNotice): void;
  /** Hears every notice, also those that this process published. */
  listen(listener: (notice: WritersNotice) => void): void;
  /** Whether other processes may hear it. */
  readonly reachesOthers: boolean;
}

/** A way to other processes. What it brings was written by them, so it may be anything. */
export interface Carrier {
  send(notice: WritersNotice): void;
  listen(listener: (received: unknown) => void): void;
}

/** The bus of this process, and of all that the carriers reach. */
export function createBus(carriers: readonly Carrier[] = []): ChangeBus {
  const listeners: ((notice: WritersNotice) => void)[] = [];
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
    listen(listener) {
      listeners.push(listener);
    },
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

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
