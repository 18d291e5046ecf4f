import { setTimeout as sleep } from 'node:timers/promises';
import type { createClient } from '@redis/client';
import type { Logger } from 'pino';

/** A Redis that is used while it answers. Nothing waits for it longer than ANSWER_MS, and nothing fails without it. */
export interface RedisLink {
  /** Null: Redis has no such text, or is away. Renews how long it keeps the text. */
  get(key: string, keptSeconds: number): Promise<string | null>;
  set(key: string, text: string, keptSeconds: number): void;
  publish(channel: string, text: string): void;
  /** To be called before `open`. */
  subscribe(channel: string, listener: (text: string) => void): void;
  isReady(): boolean;
  /** Begins to connect, and connects again whenever the connection is lost. */
  open(): void;
  close(): void;
}

type Client = ReturnType<typeof createOne>;

/** How long an answer is waited for. Redis in the same network needs a millisecond. Unit: milliseconds. */
const ANSWER_MS = 200;
/** After an answer that did not come, Redis is not asked for so long. Unit: milliseconds. */
const PAUSE_MS = 2000;
/** How often the connections are tried. Without it, a Redis whose machine has vanished would not be noticed for minutes. Unit: milliseconds. */
const TRY_EVERY_MS = 5000;
const CONNECT_MS = 2000;
/** Between two attempts to connect; with some jitter, so that not all replicas come back at once. Unit: milliseconds. */
const RECONNECT_MS = { first: 50, longest: 2000, jitter: 200 };
/** When this many tries found no connection, the attempts to connect begin anew: one of them may hang. */
const MAX_TRIES = 4;
/** Commands that wait for their answers; further ones fail at once. */
const MAX_COMMANDS = 1000;

/** Loads the client library, but does not connect. */
export async function createRedisLink(url: string, log: Logger): Promise<RedisLink> {
  const { createClient } = await import('@redis/client');
  const subscriptions = new Map<string, (text: string) => void>();
  let pair: Pair | null = null;
  let pausedUntil = 0;
  /** Null: not known yet. */
  let wasThere: boolean | null = null;
  let timer: NodeJS.Timeout | undefined;
  /** How often no connection was found since there was one. */
  let tries = 0;

  function note(isThere: boolean, cause: string | null): void {
    if (wasThere === isThere) return;
    if (!isThere) log.warn({ cause }, 'Redis is away: nothing is shared over it');
    else if (wasThere !== null) log.info('Redis is back');
    wasThere = isThere;
  }

  function connect(): void {
    tries = 0;
    pair?.destroy();
    pair = createPair(createClient, url, subscriptions, note);
  }

  const isReady = () => pair?.commands.isReady === true && pair.notices.isReady;

  /** Runs a command unless Redis is away; null if no answer came in time. */
  async function run<T>(command: (client: Client) => Promise<T>): Promise<T | null> {
    if (pair === null || !pair.commands.isReady || performance.now() < pausedUntil)
      return null;
    const answer = await inTime(command(pair.commands), ANSWER_MS);
    if (answer !== LATE) return answer;
    pausedUntil = performance.now() + PAUSE_MS;
    note(false, `no answer in ${ANSWER_MS} ms`);
    return null;
  }

  /** Both connections must answer, or they are made anew. */
  async function tryBoth(): Promise<void> {
    if (pair === null || !isReady()) {
      tries += 1;
      if (tries === MAX_TRIES) connect();
      return;
    }
    tries = 0;
    const { commands, notices } = pair;
    const both = Promise.all([commands.ping(), notices.ping()]);
    const answer = await inTime(both, CONNECT_MS);
    if (answer === LATE) {
      note(false, `no answer in ${CONNECT_MS} ms`);
      if (pair?.commands === commands) connect();
    } else if (answer !== null) note(true, null);
  }

  return {
    isReady: () => isReady() && performance.now() >= pausedUntil,
    async get(key, keptSeconds) {
      const text = await run((client) => client.get(key));
      if (text !== null) void run((client) => client.expire(key, keptSeconds));
      return text;
    },
    set(key, text, keptSeconds) {
      void run((client) =>
        client.set(key, text, { expiration: { type: 'EX', value: keptSeconds } }),
      );
    },
    publish(channel, text) {
      void run((client) => client.publish(channel, text));
    },
    subscribe(channel, listener) {
      subscriptions.set(channel, listener);
    },
    open() {
      connect();
      timer = setInterval(() => void tryBoth(), TRY_EVERY_MS).unref();
    },
    close() {
      clearInterval(timer);
      pair?.destroy();
      pair = null;
    },
  };
}

/** A connection that listens for notices can run no other commands. */
interface Pair {
  readonly commands: Client;
  readonly notices: Client;
  destroy(): void;
}

function createPair(
  create: typeof createClient,
  url: string,
  subscriptions: ReadonlyMap<string, (text: string) => void>,
  note: (isThere: boolean, cause: string | null) => void,
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
      notices.subscribe(channel, listener).catch(ignore);
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

const LATE = Symbol('no answer in time');

/** The result; null if it failed; LATE if it did not come. */
async function inTime<T>(
  running: Promise<T>,
  ms: number,
): Promise<T | null | typeof LATE> {
  const end = new AbortController();
  const late = sleep(ms, LATE, { signal: end.signal, ref: false }).catch(() => null);
  try {
    return await Promise.race([running.catch(() => null), late]);
  } finally {
    end.abort();
  }
}

/** In one line. An error of several addresses has no message of its own. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, code } = error as Error & { code?: string };
  return (message || code || error.name).split('\n')[0]?.slice(0, 200) ?? '';
}
