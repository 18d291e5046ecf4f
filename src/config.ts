import { quote } from './config/quote.ts';
import {
  EMBEDDED,
  explorer,
  filePath,
  hostName,
  InvalidValueError,
  integer,
  oneOf,
  origins,
  parameterName,
  redisAddress,
  serviceAddress,
  trueOrFalse,
  workerCount,
} from './config/values.ts';
import type { Explorer } from './operation/explorer-page.ts';
import { UNKNOWN_IDS, type UnknownId, USUAL_PARAMETERS } from './paging/parameters.ts';
import { PAGING_STYLES, type PagingStyle } from './paging/styles.ts';
import { TIMESTAMP_UNITS, type TimestampUnit } from './rest/timestamp.ts';

/** Every setting, checked. Names are those of the environment variables, in camelCase. */
export interface Config {
  /** Base address of the REST service, without `/v1`; `embedded` starts one in this process. */
  readonly messagingUrl: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly paging: PagingStyle;
  /** The service's names of the paging parameters; null for the usual names. */
  readonly pagingParam: string | null;
  readonly pagingBackParam: string | null;
  /** How the service answers when the id in a paging parameter no longer exists. */
  readonly pagingUnknownId: UnknownId;
  /** The largest `limit` the service accepts; null if unknown. */
  readonly maxLimit: number | null;
  /** The unit in which the service counts time since 1970; null: the size of the timestamps shows it. */
  readonly timestampUnit: TimestampUnit | null;
  /** Unit: items. */
  readonly maxPageSize: number;
  /** The most REST calls of one operation. */
  readonly maxRestCalls: number;
  /** The most REST calls of one list field. */
  readonly maxCallsPerList: number;
  /** Time for one call, to the last byte of its response. Unit: milliseconds. */
  readonly restTimeoutMs: number;
  /** Time for one whole operation. Unit: milliseconds. */
  readonly operationTimeoutMs: number;
  readonly restConnections: number;
  /** The most calls that may wait for a connection. */
  readonly restQueue: number;
  readonly restRetries: number;
  /** The most bytes in one response of the service. */
  readonly maxResponseBytes: number;
  readonly logLevel: LogLevel;
  /** `*`, or the origins whose pages may call the gateway from a browser. */
  readonly corsOrigins: '*' | readonly string[];
  readonly introspection: boolean;
  /** What a browser gets at /graphql: Apollo Sandbox, the bundled explorer, or no page. */
  readonly explorer: Explorer;
  /** Path of a manifest that lists the only documents allowed to run; null allows every document. */
  readonly trustedDocuments: string | null;
  /** Whether the gateway serves /metrics. */
  readonly metrics: boolean;
  /** Whether a client may ask which REST calls its operation made. */
  readonly restDebug: boolean;
  /** Whether clients may subscribe to changes. */
  readonly live: boolean;
  /** The least time between two regular reads of a list that is watched. Unit: milliseconds. */
  readonly livePollMs: number;
  /** How many subscriptions may be open. */
  readonly maxSubscriptions: number;
  /** How many processes the command starts; `auto`: one for each core. A gateway in a process of another program ignores it. */
  readonly workers: number | 'auto';
  /** The Redis over which replicas share persisted operations and notices of changes; null: there is none. */
  readonly redisUrl: string | null;
}

/** Pino's levels. */
const LOG_LEVELS = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'silent',
] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** The message holds every problem with the settings, one on each line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws a ConfigError that names every wrong setting, its value, and the values it takes. */
export function loadConfig(env: Environment): Config {
  const problems: string[] = [];

  function setting<T>(name: string, fallback: T, parse: (text: string) => T): T {
    const value = env[name];
    if (value === undefined) return fallback;
    try {
      return parse(value);
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      problems.push(`${name}="${quote(value)}": takes ${error.message}`);
      return fallback;
    }
  }

  if (env.NODE_ENV === 'production' && env.MESSAGING_URL === undefined) {
    problems.push(
      'MESSAGING_URL is not set: with NODE_ENV=production, set it to the address of the REST service, or to "embedded"',
    );
  }
  const config: Config = {
    messagingUrl: setting('MESSAGING_URL', EMBEDDED, serviceAddress),
    host: setting('HOST', '127.0.0.1', hostName),
    port: setting('PORT', 4000, integer(0, 65_535)),
    paging: setting('PAGING', 'auto', oneOf(PAGING_STYLES)),
    pagingParam: setting<string | null>('PAGING_PARAM', null, parameterName),
    pagingBackParam: setting<string | null>('PAGING_BACK_PARAM', null, parameterName),
    pagingUnknownId: setting<UnknownId>(
      'PAGING_UNKNOWN_ID',
      'refused',
      oneOf(UNKNOWN_IDS),
    ),
    maxLimit: setting<number | null>('MAX_LIMIT', null, integer(1, 1_000_000_000)),
    timestampUnit: setting<TimestampUnit | null>(
      'TIMESTAMP_UNIT',
      null,
      oneOf(TIMESTAMP_UNITS),
    ),
    maxPageSize: setting('MAX_PAGE_SIZE', 100, integer(1, 1_000_000)),
    maxRestCalls: setting('MAX_REST_CALLS', 250, integer(1, 1_000_000)),
    maxCallsPerList: setting('MAX_CALLS_PER_LIST', 20, integer(1, 1_000_000)),
    restTimeoutMs: setting('REST_TIMEOUT_MS', 10_000, integer(1, MAX_TIMER_MS)),
    operationTimeoutMs: setting('OPERATION_TIMEOUT_MS', 30_000, integer(1, MAX_TIMER_MS)),
    restConnections: setting('REST_CONNECTIONS', 64, integer(1, 65_535)),
    restQueue: setting('REST_QUEUE', 1000, integer(0, 1_000_000)),
    restRetries: setting('REST_RETRIES', 2, integer(0, 100)),
    maxResponseBytes: setting('MAX_RESPONSE_BYTES', 16_777_216, integer(1, 2 ** 29)),
    logLevel: setting<LogLevel>('LOG_LEVEL', 'info', oneOf(LOG_LEVELS)),
    corsOrigins: setting<Config['corsOrigins']>('CORS_ORIGINS', '*', origins),
    introspection: setting('INTROSPECTION', true, trueOrFalse),
    explorer: setting<Explorer>('EXPLORER', 'sandbox', explorer),
    trustedDocuments: setting<string | null>('TRUSTED_DOCUMENTS', null, filePath),
    metrics: setting('METRICS', true, trueOrFalse),
    restDebug: setting('REST_DEBUG', false, trueOrFalse),
    live: setting('LIVE', true, trueOrFalse),
    livePollMs: setting('LIVE_POLL_MS', 2000, integer(100, MAX_TIMER_MS)),
    maxSubscriptions: setting('MAX_SUBSCRIPTIONS', 1000, integer(1, 1_000_000)),
    workers: setting<Config['workers']>('WORKERS', 1, workerCount),
    redisUrl: setting<string | null>('REDIS_URL', null, redisAddress),
  };
  const forth = config.pagingParam ?? USUAL_PARAMETERS.after;
  if (forth === (config.pagingBackParam ?? USUAL_PARAMETERS.before)) {
    problems.push(
      `PAGING_BACK_PARAM="${forth}": takes a name that differs from PAGING_PARAM`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}
