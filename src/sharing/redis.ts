import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createRedactor } from '../rest/redact.ts';

export type RedisLink = Awaited<ReturnType<typeof createRedisLink>>;

/** How long an answer is waited for. Redis in the same network needs a millisecond. Unit: milliseconds. */
const ANSWER_MS = 200;
/** After a command without an answer in time, none is sent for this long, nor before that answer comes. Unit: milliseconds. */
const PAUSE_MS = 2000;
/** How often a connection is pinged, and after which silence it is replaced by another. Unit: milliseconds. */
const PING_MS = 3000;
const SILENCE_MS = 5000;
/** Between two attempts to connect; with some jitter, so that not all replicas come back at once. Unit: milliseconds. */
const RECONNECT_MS = { first: 50, longest: 2000, jitter: 200 };
/** Commands that wait for their answers; further ones fail at once. */
const MAX_COMMANDS = 1000;

/**
 * A Redis that is used while it answers. Nothing waits for it longer than ANSWER_MS, and nothing fails without it. Loads the
 * client library, but does not connect.
 */
export async function createRedisLink(url: string, log: Logger) {
  const { createClient, ErrorReply, SocketTimeoutError } = await import('@redis/client');
  const create = () =>
    createClient({
      url,
      // Also Redis 5 understands it.
      RESP: 2,
      // Commands fail at once while Redis is away, instead of waiting for it.
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_COMMANDS,
      maintNotifications: 'disabled',
      pingInterval: PING_MS,
      // By default, the library does not connect again after a silence.
      socket: { socketTimeout: SILENCE_MS, reconnectStrategy: toWait },
    });
  type Client = ReturnType<typeof create>;
  // A connection that listens for notices can run no other commands.
  const commands = create();
  const notices = create();
  const subscriptions = new Map<string, (text: string) => void>();
  const refusals = createRefusals(log);
  // Its answer may quote the command that it refuses.
  const redact = createRedactor(decodeURIComponent(new URL(url).password) || null);
  let pausedUntil = 0;
  /** Null: not known yet. */
  let wasThere: boolean | null = null;
  let isClosed = false;

  for (const client of [commands, notices]) {
    client.on('ready', () => {
      if (commands.isReady && notices.isReady) noteBack();
    });
    client.on('error', (error: unknown) => {
      // A refused ping: the commands that matter are refused too.
      const isPing = error instanceof ErrorReply && client.isReady;
      if (isClosed || isPing) return;
      const isSilent = error instanceof SocketTimeoutError;
      noteAway(isSilent ? toNoAnswer(SILENCE_MS) : describe(error));
    });
  }

  function noteAway(cause: string): void {
    if (wasThere !== false)
      log.warn({ cause: redact(cause) }, 'Redis is away: nothing is shared over it');
    wasThere = false;
  }

  function noteBack(): void {
    if (wasThere === false) log.info('Redis is back');
    wasThere = true;
  }

  /** Notes whether Redis refuses a command. Other failures are those of a connection. */
  async function watched<T>(command: string, running: Promise<T>): Promise<T | null> {
    try {
      const answer = await running;
      refusals.note(command, null);
      return answer;
    } catch (error) {
      if (error instanceof ErrorReply) refusals.note(command, redact(describe(error)));
      return null;
    }
  }

  /** Runs a command unless Redis is away; null if it fails, or no answer comes in time. */
  async function run<T>(
    name: string,
    command: (client: Client) => Promise<T>,
  ): Promise<T | null> {
    if (!commands.isReady || performance.now() < pausedUntil) return null;
    const running = watched(name, command(commands));
    const answer = await Promise.race([running, sleep(ANSWER_MS, LATE, { ref: false })]);
    if (answer !== LATE) return answer;
    noteAway(toNoAnswer(ANSWER_MS));
    const until = performance.now() + PAUSE_MS;
    // Commands that are sent meanwhile would hide the silence.
    pausedUntil = Number.POSITIVE_INFINITY;
    void running.then(() => {
      pausedUntil = until;
      if (commands.isReady) noteBack();
    });
    return null;
  }

  return {
    isReady: (): boolean =>
      commands.isReady &&
      notices.isReady &&
      performance.now() >= pausedUntil &&
      !refusals.areThere(),
    /** Null: Redis has no such text, or is away. `keptSeconds`: renews how long it keeps the text. */
    async get(key: string, keptSeconds?: number): Promise<string | null> {
      const text: unknown = await run('GET', (client) => client.get(key));
      // Whatever is behind the address may answer with something else.
      if (typeof text !== 'string') return null;
      if (keptSeconds !== undefined)
        void run('EXPIRE', (client) => client.expire(key, keptSeconds));
      return text;
    },
    set(key: string, text: string, keptSeconds: number): void {
      void run('SET', (client) =>
        client.set(key, text, { expiration: { type: 'EX', value: keptSeconds } }),
      );
    },
    /** False: there is such a text already; null: Redis is away. */
    setNew: (key: string, text: string, keptSeconds: number): Promise<boolean | null> =>
      run('SET', async (client) => {
        const expiration = { type: 'EX', value: keptSeconds } as const;
        return (await client.set(key, text, { condition: 'NX', expiration })) !== null;
      }),
    /** For how long Redis still keeps a text. Unit: milliseconds. */
    left: (key: string): Promise<number | null> =>
      run('PTTL', async (client) => Number(await client.pTTL(key))),
    delete(key: string): void {
      void run('DEL', (client) => client.del(key));
    },
    publish(channel: string, text: string): void {
      void run('PUBLISH', (client) => client.publish(channel, text));
    },
    /** To be called before `open`. */
    subscribe(channel: string, listener: (text: string) => void): void {
      subscriptions.set(channel, listener);
    },
    /** Begins to connect, and connects again whenever the connection is lost. */
    open(): void {
      commands.connect().catch(ignore);
      // The client subscribes again by itself whenever it has connected again.
      void notices.connect().then(() => {
        for (const [channel, listener] of subscriptions)
          void watched('SUBSCRIBE', notices.subscribe(channel, listener));
      }, ignore);
    },
    close(): void {
      isClosed = true;
      for (const client of [commands, notices]) if (client.isOpen) client.destroy();
    },
  };
}

const LATE: unique symbol = Symbol('no answer in time');

const toWait = (attempts: number): number =>
  Math.min(RECONNECT_MS.first * 2 ** attempts, RECONNECT_MS.longest) +
  Math.random() * RECONNECT_MS.jitter;

const toNoAnswer = (ms: number): string => `no answer in ${ms} ms`;

/** The failure was noted when it happened, or the gateway is closed. */
const ignore = () => {};

/** In one line. An error of several addresses has no message of its own. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, code } = error as Error & { code?: string };
  return (message || code || error.name).split('\n')[0]?.slice(0, 200) ?? '';
}

/**
 * The commands that Redis answers with an error: it wants a password, its memory is full, or it is a replica. Logs each cause
 * once, until all commands are accepted again.
 */
function createRefusals(log: Logger) {
  const causes = new Map<string, string>();
  return {
    areThere: () => causes.size > 0,
    /** Notes how Redis answered a command; `cause` is its error, null: it accepted the command. */
    note(command: string, cause: string | null): void {
      if (cause !== null) {
        const isNew = ![...causes.values()].includes(cause);
        causes.set(command, cause);
        if (isNew)
          log.warn({ command, cause }, 'Redis refuses a command: less is shared over it');
      } else if (causes.delete(command) && causes.size === 0) {
        log.info('Redis accepts all commands again');
      }
    },
  };
}
