import type { Client } from 'graphql-ws';

/** No message of the protocol says that a subscription has begun. Unit: milliseconds. */
const BEGINS_MS = 1000;
/** Where several events ask for it, the list is read once. Unit: milliseconds. */
const SETTLES_MS = 400;

/** A list that is shown. */
interface List<Data> {
  readonly socket: Client;
  /** Subscribes: calls `next` with each event and `fail` with an error, and returns what ends it. */
  subscribe(next: (data: Data) => void, fail: (error: unknown) => void): () => void;
  /** Puts an event into the list. Returns whether the list has to be read again. It may be given the same event twice. */
  apply(data: Data): boolean;
  /** Reads the list, and shows it. Rejects if it could not: then it is read again. */
  reread(): Promise<unknown>;
  /** The subscription has ended. */
  fail(error: unknown): void;
}

/**
 * Keeps a list as the service has it: puts the events into it, and reads it again where events may be missing, which is at the start,
 * and after a connection was lost before the first event; later `resuming` asks for what was missed. Returns what ends it.
 */
export function keepCurrent<Data>(list: List<Data>): () => void {
  let hasToken = false;
  /** Events that come while the list is read; null while it is not. */
  let meanwhile: Data[] | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const rereadIn = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(reread, ms);
  };
  const begin = () => {
    if (!hasToken) rereadIn(BEGINS_MS);
  };
  async function reread(): Promise<void> {
    if (meanwhile !== null) return rereadIn(SETTLES_MS);
    const missed: Data[] = [];
    meanwhile = missed;
    try {
      await list.reread();
    } catch {
      // It was not read, so it may still lack what came before.
      rereadIn(BEGINS_MS);
    } finally {
      meanwhile = null;
      // What was read may be older than they are.
      for (const data of missed) list.apply(data);
    }
  }

  const unsubscribe = list.subscribe((data) => {
    hasToken = true;
    meanwhile?.push(data);
    if (list.apply(data)) rereadIn(SETTLES_MS);
  }, list.fail);
  const forget = list.socket.on('connected', begin);
  begin();
  return () => {
    clearTimeout(timer);
    forget();
    unsubscribe();
  };
}
