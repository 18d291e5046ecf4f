/** What one process has learned of the service, and the others need not learn again. Of each key, the latest fact counts. */
export interface Facts {
  /** Shares a fact, which JSON can hold, with the other processes, and with those that start later. */
  share(key: string, fact: unknown): void;
  /** Hears the facts that other processes share. */
  listen(listener: (key: string, fact: unknown) => void): void;
}

/** For a process that is alone. */
export const NO_FACTS: Facts = { share() {}, listen() {} };
