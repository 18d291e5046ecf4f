/** What a write through this gateway touched. Ids alone: each watch reads with the token of its own subscribers. */
export interface ChangeNotice {
  /** The conversations whose messages, or whose own fields, may have changed. */
  readonly conversationIds: readonly string[];
  /** The messages that may have changed. */
  readonly messageIds: readonly string[];
  /** Whether a conversation was created: then it may belong into lists that have not shown it yet. */
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

/** The bus within one process. */
export function createLocalBus(): ChangeBus {
  const listeners: ((notice: ChangeNotice) => void)[] = [];
  return {
    publish(notice) {
      for (const listener of listeners) listener(notice);
    },
    listen(listener) {
      listeners.push(listener);
    },
  };
}
