import type { createClient } from '@redis/client';

export type Client = ReturnType<typeof createOne>;

/** How long a connection may take to open, and to answer. Unit: milliseconds. */
export const CONNECT_MS = 2000;
/** Between two attempts to connect; with some jitter, so that not all replicas come back at once. Unit: milliseconds. */
const RECONNECT_MS = { first: 50, longest: 2000, jitter: 200 };
/** Commands that wait for their answers; further ones fail at once. */
const MAX_COMMANDS = 1000;

/** A connection that listens for notices can run no other commands. */
export interface Pair {
  readonly commands: Client;
  readonly notices: Client;
  destroy(): void;
}

interface PairOptions {
  readonly subscriptions: ReadonlyMap<string, (text: string) => void>;
  readonly note: (isThere: boolean, cause: string | null) => void;
  readonly watched: Watch;
}

/** Takes note of how a command ends, and returns it. */
export type Watch = <T>(command: string, running: Promise<T>) => Promise<T>;

export function createPair(
  create: typeof createClient,
  url: string,
  { subscriptions, note, watched }: PairOptions,
): Pair {
  const commands = createOne(create, url);
  const notices = createOne(create, url);
  let isOver = false;
  for (const client of [commands, notices]) {
    client.on('error', (error: unknown) => {
      if (!isOver) note(false, describe(error));
    });
  }
  commands.on('ready', () => note(true, null));
  commands.connect().catch(ignore);
  // The client subscribes again by itself whenever it has connected again.
  void notices.connect().then(() => {
    for (const [channel, listener] of subscriptions)
      watched('SUBSCRIBE', notices.subscribe(channel, listener)).catch(ignore);
  }, ignore);
  return {
    commands,
    notices,
    destroy() {
      isOver = true;
      for (const client of [commands, notices]) if (client.isOpen) client.destroy();
    },
  };
}

const createOne = (create: typeof createClient, url: string) =>
  create({
    url,
    // Also Redis 5 understands it.
    RESP: 2,
    // Commands fail at once while Redis is away, instead of waiting for it.
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_COMMANDS,
    maintNotifications: 'disabled',
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: toWait },
  });

/** Its failure was noted when it happened, or does not matter. */
const ignore = () => {};

const toWait = (attempts: number): number =>
  Math.min(RECONNECT_MS.first * 2 ** attempts, RECONNECT_MS.longest) +
  Math.random() * RECONNECT_MS.jitter;

/** In one line. An error of several addresses has no message of its own. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, code } = error as Error & { code?: string };
  return (message || code || error.name).split('\n')[0]?.slice(0, 200) ?? '';
}
