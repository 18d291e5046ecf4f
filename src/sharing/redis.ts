import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createRedactor } from '../rest/redact.ts';
import {
  type Client,
  CONNECT_MS,
  createPair,
  describe,
  type Pair,
  type Watch,
} from './redis-pair.ts';

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

/** How long an answer is waited for. Redis in the same network needs a millisecond. Unit: milliseconds. */
const ANSWER_MS = 200;
/** After an answer that did not come, Redis is not asked for so long. Unit: milliseconds. */
const PAUSE_MS = 2000;
/** How often the connections are tried. Without it, a Redis whose machine has vanished would not be noticed for minutes. Unit: milliseconds. */
const TRY_EVERY_MS = 5000;
/** When this many tries found no connection, the attempts to connect begin anew: one of them may hang. */
const MAX_TRIES = 4;

/** Loads the client library, but does not connect. */
export async function createRedisLink(url: string, log: Logger): Promise<RedisLink> {
  const { createClient, ErrorReply } = await import('@redis/client');
  const subscriptions = new Map<string, (text: string) => void>();
  let pair: Pair | null = null;
  let pausedUntil = 0;
  /** Null: not known yet. */
  let wasThere: boolean | null = null;
  let timer: NodeJS.Timeout | undefined;
  /** How often no connection was found since there was one. */
  let tries = 0;
  const refusals = createRefusals(log);
  // Its answer may quote the command that it refuses.
  const redact = createRedactor(decodeURIComponent(new URL(url).password) || null);

  /** Notes whether Redis refuses a command. Other failures are those of a connection, which `note` gets. */
  const watched: Watch = (command, running) => {
    running.then(
      () => refusals.note(command, null),
      (error) => {
        if (error instanceof ErrorReply) refusals.note(command, redact(describe(error)));
      },
    );
    return running;
  };

  function note(isThere: boolean, cause: string | null): void {
    if (wasThere === isThere) return;
    if (!isThere)
      log.warn(
        { cause: cause && redact(cause) },
        'Redis is away: nothing is shared over it',
      );
    else if (wasThere !== null) log.info('Redis is back');
    wasThere = isThere;
  }

  function connect(): void {
    tries = 0;
    pair?.destroy();
    pair = createPair(createClient, url, { subscriptions, note, watched });
  }

  const isReady = () => pair?.commands.isReady === true && pair.notices.isReady;

  /** Runs a command unless Redis is away; null if no answer came in time. */
  async function run<T>(
    name: string,
    command: (client: Client) => Promise<T>,
  ): Promise<T | null> {
    if (pair === null || !pair.commands.isReady || performance.now() < pausedUntil)
      return null;
    const answer = await inTime(watched(name, command(pair.commands)), ANSWER_MS);
    if (answer !== LATE) return answer;
    pausedUntil = performance.now() + PAUSE_MS;
    note(false, `no answer in ${ANSWER_MS} ms`);
    return null;
  }

  /** Both connections must answer, or they are made anew. */
  async function tryBoth(): Promise<void> {
    if (pair === null || !isReady()) {
      tries += 1;
      note(false, 'no connection');
      if (tries === MAX_TRIES) connect();
      return;
    }
    tries = 0;
    const { commands, notices } = pair;
    const both = Promise.all([commands.ping(), notices.ping()]);
    const answer = await inTime(watched('PING', both), CONNECT_MS);
    if (answer === LATE) {
      note(false, `no answer in ${CONNECT_MS} ms`);
      if (pair?.commands === commands) connect();
    } else if (answer !== null) note(true, null);
  }

  return {
    isReady: () => isReady() && performance.now() >= pausedUntil && !refusals.areThere(),
    async get(key, keptSeconds) {
      const text: unknown = await run('GET', (client) => client.get(key));
      // Whatever is behind the address may answer with something else.
      if (typeof text !== 'string') return null;
      void run('EXPIRE', (client) => client.expire(key, keptSeconds));
      return text;
    },
    set(key, text, keptSeconds) {
      void run('SET', (client) =>
        client.set(key, text, { expiration: { type: 'EX', value: keptSeconds } }),
      );
    },
    publish(channel, text) {
      void run('PUBLISH', (client) => client.publish(channel, text));
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

const LATE: unique symbol = Symbol('no answer in time');

/** The result; null if it failed; LATE if it did not come. */
const inTime = <T>(running: Promise<T>, ms: number): Promise<T | null | typeof LATE> =>
  Promise.race([running.catch(() => null), sleep(ms, LATE, { ref: false })]);

/** The commands that Redis answers with an error: it wants a password, its memory is full, or it is a replica. */
interface Refusals {
  /** Notes how Redis answered a command; `cause` is its error, null: it accepted the command. */
  note(command: string, cause: string | null): void;
  areThere(): boolean;
}

/** Logs each cause once, until all commands are accepted again. */
function createRefusals(log: Logger): Refusals {
  const causes = new Map<string, string>();
  return {
    note(command, cause) {
      if (cause !== null) {
        if (![...causes.values()].includes(cause)) log.warn({ command, cause }, REFUSED);
        causes.set(command, cause);
      } else if (causes.delete(command) && causes.size === 0) log.info(ACCEPTED);
    },
    areThere: () => causes.size > 0,
  };
}

const REFUSED = 'Redis refuses a command: less is shared over it';
const ACCEPTED = 'Redis accepts all commands again';
