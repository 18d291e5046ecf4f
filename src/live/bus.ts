import { isObject } from '../rest/decode.ts';

/** What a write through this gateway touched. Ids alone: each watch reads with the token of its own subscribers. */
export interface ChangeNotice {
  /** The conversations whose messages, or whose own fields, may have changed. */
  readonly conversationIds: readonly string[];
  /** The messages that may have changed. */
  readonly messageIds: readonly string[];
  /** Whether a conversation was created: then it may belong in lists that have not shown it yet. */
  readonly hasCreatedConversation: boolean;
}

/**
 * Carries notices of changes to all watches: those of this process or, over a broker, those of all replicas. A notice may be
 * lost: the next look sees the change then.
 */
export interface ChangeBus {
  publish(notice: ChangeNotice): void;
  /** Hears every notice, also those that this process published. */
  listen(listener: (notice: ChangeNotice) => void): void;
}

/** A way to other processes. What it brings was written by them, so it may be anything. */
export interface Carrier {
  send(notice: ChangeNotice): void;
  listen(listener: (received: unknown) => void): void;
}

/** The bus of this process, and of all that the carriers reach. */
export function createBus(carriers: readonly Carrier[] = []): ChangeBus {
  const listeners: ((notice: ChangeNotice) => void)[] = [];
  const hear = (notice: ChangeNotice) => {
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
  };
}

const isNotice = (value: unknown): value is ChangeNotice =>
  isObject(value) &&
  isListOfTexts(value.conversationIds) &&
  isListOfTexts(value.messageIds) &&
  typeof value.hasCreatedConversation === 'boolean';

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
