import { UNKNOWN_IDS, type UnknownId } from './paging/by-id.ts';
import { KEYSET_PARAMETERS, PAGING_STYLES, type PagingStyle } from './paging/styles.ts';
import { TAKEN_PARAMETERS } from './rest/list.ts';
import { TIMESTAMP_UNITS, type TimestampUnit } from './rest/timestamp.ts';

/** Every setting, checked. Names and defaults are the environment's, in camelCase. */
export interface Config {
  /** Base address of the REST service, without `/v1`; `embedded` for the one in this process. */
  readonly messagingUrl: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly paging: PagingStyle;
  /** Names of the paging parameters, where the service calls them otherwise; null: the usual ones. */
  readonly pagingParam: string | null;
  readonly pagingBackParam: string | null;
  /** What the service answers when asked beside an item that is gone. */
  readonly pagingUnknownId: UnknownId;
  /** The greatest `limit` the service takes; null: none is known. */
  readonly maxLimit: number | null;
  /** What the service counts time in, from 1970 on; null: not known. */
  readonly timestampUnit: TimestampUnit | null;
  /** Unit: items. */
  readonly maxPageSize: number;
  /** REST calls an operation may make. */
  readonly maxRestCalls: number;
  /** REST calls one list field may make. */
  readonly maxCallsPerList: number;
  /** One call, to its last byte. Unit: milliseconds. */
  readonly restTimeoutMs: number;
  /** Everything an operation does. Unit: milliseconds. */
  readonly operationTimeoutMs: number;
  readonly restConnections: number;
  /** How many calls may wait for a connection. */
  readonly restQueue: number;
  readonly restRetries: number;
  /** Unit: bytes of one answer of the service. */
  readonly maxResponseBytes: number;
  readonly logLevel: LogLevel;
  /** `*`, or the origins browsers may ask from. */
  readonly corsOrigins: '*' | readonly string[];
  readonly introspection: boolean;
  /** Path of a manifest of the documents that alone may run; null: any may. */
  readonly trustedDocuments: string | null;
  /** Whether there is /metrics. */
  readonly metrics: boolean;
  /** Whether an operation may ask which calls to the service it made. */
  readonly restDebug: boolean;
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

/** Every problem with the settings, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown by a reader: what the setting takes. */
class Takes extends Error {}

const MAX_TIMER_MS = 2 ** 31 - 1;
const EMBEDDED = 'embedded';

/** Reads the settings; throws ConfigError naming every wrong one, its value and what it takes. */
export function loadConfig(env: Environment): Config {
  const problems: string[] = [];

  function setting<T>(name: string, fallback: T, read: (text: string) => T): T {
    const value = env[name];
    if (value === undefined) return fallback;
    try {
      return read(value);
    } catch (error) {
      if (!(error instanceof Takes)) throw error;
      problems.push(`${name}="${onOneLine(value)}": takes ${error.message}`);
      return fallback;
    }
  }

  if (env.NODE_ENV === 'production' && env.MESSAGING_URL === undefined) {
    problems.push(
      'MESSAGING_URL is not set: under NODE_ENV=production it takes the address of the REST service, or "embedded" set explicitly',
    );
  }
  const config: Config = {
    messagingUrl: setting('MESSAGING_URL', EMBEDDED, serviceAddress),
    host: setting('HOST', '127.0.0.1', hostName),
    port: setting('PORT', 4000, integer(0, 65_535)),
    paging: setting('PAGING', 'limit', oneOf(PAGING_STYLES)),
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
    trustedDocuments: setting<string | null>('TRUSTED_DOCUMENTS', null, filePath),
    metrics: setting('METRICS', true, trueOrFalse),
    restDebug: setting('REST_DEBUG', false, trueOrFalse),
  };
  const forth = config.pagingParam ?? KEYSET_PARAMETERS.after;
  if (forth === (config.pagingBackParam ?? KEYSET_PARAMETERS.before)) {
    problems.push(
      `PAGING_BACK_PARAM="${forth}": takes another name than PAGING_PARAM, which is the same`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}

/** As it is, save for what would break the line. */
const onOneLine = (value: string): string =>
  value.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));

const integer = (min: number, max: number) => (text: string) => {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Takes(`an integer from ${min} to ${max}`);
};

const oneOf =
  <T extends string>(words: readonly T[]) =>
  (text: string): T => {
    const word = words.find((candidate) => candidate === text);
    if (word !== undefined) return word;
    throw new Takes(`one of ${words.join(', ')}`);
  };

const trueOrFalse = (text: string): boolean => oneOf(['true', 'false'])(text) === 'true';

function hostName(text: string): string {
  if (/^[\w.:-]+$/.test(text)) return text;
  throw new Takes('a host name or an address');
}

function filePath(text: string): string {
  if (/^\P{Cc}+$/u.test(text)) return text;
  throw new Takes('the path of a manifest of documents');
}

function parameterName(text: string): string {
  if (!/^[\w.[\]-]+$/.test(text)) {
    throw new Takes("a query parameter's name: letters, digits and any of _.-[]");
  }
  if (!TAKEN_PARAMETERS.includes(text)) return text;
  throw new Takes("a query parameter's name other than the interface's own");
}

function serviceAddress(text: string): string {
  if (text === EMBEDDED) return text;
  const url = URL.parse(text);
  const isPlain =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username + url.password === '' &&
    !/[?#]/.test(text);
  if (!isPlain) {
    throw new Takes(
      'the http or https address of the REST service, without credentials, query or fragment, or "embedded"',
    );
  }
  const address = url.href.replace(/\/+$/, '');
  if (!address.endsWith('/v1')) return address;
  throw new Takes(`the address without "/v1", which is added: ${address.slice(0, -3)}`);
}

function origins(text: string): Config['corsOrigins'] {
  if (text === '*') return text;
  const list = text.split(',').map((origin) => origin.trim());
  const isOrigin = (origin: string) =>
    URL.parse(origin)?.origin === origin && !origin.includes('*');
  if (list.every(isOrigin)) return list;
  throw new Takes('"*", or origins such as https://app.example, comma-separated');
}
