import { LONGEST_TIMER_MS } from './callers/time-limit.ts';
import { headerNames, headers } from './config/headers.ts';
import { quote } from './config/quote.ts';
import {
  EMBEDDED,
  explorer,
  filePath,
  HiddenValueError,
  hostName,
  InvalidValueError,
  integer,
  oneOf,
  origins,
  parameterName,
  proxyAddress,
  redisAddress,
  serviceAddress,
  trueOrFalse,
  workerCount,
} from './config/values.ts';
import { LIST_ORDERS, UNKNOWN_IDS, USUAL_PARAMETERS } from './paging/parameters.ts';
import { PAGING_STYLES } from './paging/styles.ts';
import { TIMESTAMP_UNITS } from './rest/timestamp.ts';

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

/** The message holds every problem with the settings, one on each line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

const milliseconds = integer(1, LONGEST_TIMER_MS);
const upToAMillion = integer(1, 1_000_000);

/** Every setting by its name, that of the environment variable in camelCase: its default, and what reads its text. */
const SETTINGS = {
  /** Base address of the REST service, without `/v1`; `embedded` starts one in this process. */
  messagingUrl: [EMBEDDED, serviceAddress],
  host: ['127.0.0.1', hostName],
  /** 0 takes any free port. */
  port: [4000, integer(0, 65_535)],
  paging: ['auto', oneOf(PAGING_STYLES)],
  /** The service's names of the paging parameters; null for the usual names. */
  pagingParam: [null, parameterName],
  pagingBackParam: [null, parameterName],
  /** How the service answers when the id in a paging parameter no longer exists. */
  pagingUnknownId: ['refused', oneOf(UNKNOWN_IDS)],
  /** The largest `limit` the service accepts; null if unknown. */
  maxLimit: [null, integer(1, 1_000_000_000)],
  /** Which messages the service lists first; `auto`: their times show it. */
  listOrder: ['auto', oneOf(LIST_ORDERS)],
  /** The unit in which the service counts time since 1970; null: the size of the timestamps shows it. */
  timestampUnit: [null, oneOf(TIMESTAMP_UNITS)],
  /** Unit: items. */
  maxPageSize: [100, upToAMillion],
  /** The most REST calls of one operation. */
  maxRestCalls: [250, upToAMillion],
  /** The most REST calls of one list field. */
  maxCallsPerList: [20, upToAMillion],
  /** Time for one call, to the last byte of its response. Unit: milliseconds. */
  restTimeoutMs: [10_000, milliseconds],
  /** Time for one whole operation. Unit: milliseconds. */
  operationTimeoutMs: [30_000, milliseconds],
  /** What every call to the service carries, besides what the gateway writes itself; null: nothing. The values may be secrets. */
  restHeaders: [null, headers],
  /** The headers of a client that go on to the service with its calls, in lower case; null: none. */
  forwardHeaders: [null, headerNames],
  /** The proxy between the gateway and the service; null: none. */
  restProxy: [null, proxyAddress],
  /** Paths of PEM files: authorities to trust instead of Node's own, comma-separated; the gateway's certificate, and its key. */
  restCa: [null, filePath],
  restCert: [null, filePath],
  restKey: [null, filePath],
  restConnections: [64, integer(1, 65_535)],
  /** The most calls that may wait for a connection. */
  restQueue: [1000, integer(0, 1_000_000)],
  restRetries: [2, integer(0, 100)],
  /** The most bytes in one response of the service. */
  maxResponseBytes: [16_777_216, integer(1, 2 ** 29)],
  logLevel: ['info', oneOf(LOG_LEVELS)],
  /** `*`, or the origins whose pages may call the gateway from a browser. */
  corsOrigins: ['*', origins],
  introspection: [true, trueOrFalse],
  /** What a browser gets at /graphql: Apollo Sandbox, the bundled explorer, or no page. */
  explorer: ['sandbox', explorer],
  /** Path of a manifest that lists the only documents allowed to run; null allows every document. */
  trustedDocuments: [null, filePath],
  /** What is done about other documents: they are refused, or they run and are reported. */
  trustedDocumentsMode: ['enforce', oneOf(['enforce', 'report'])],
  /** Whether the gateway serves /metrics. */
  metrics: [true, trueOrFalse],
  /** Whether a client may ask which REST calls its operation made. */
  restDebug: [false, trueOrFalse],
  /** Whether clients may subscribe to changes. */
  live: [true, trueOrFalse],
  /** The least time between two regular reads of a list that is watched. Unit: milliseconds. */
  livePollMs: [2000, integer(100, LONGEST_TIMER_MS)],
  /** How many subscriptions may be open. */
  maxSubscriptions: [1000, upToAMillion],
  /** How many processes the command starts; `auto`: one for each core. A gateway in a process of another program ignores it. */
  workers: [1, workerCount],
  /** The Redis over which replicas share persisted operations, notices of changes and which messages were sent; null: there is none. */
  redisUrl: [null, redisAddress],
} as const;

type SettingsTable = typeof SETTINGS;

/** Every setting, checked. */
export type Config = {
  readonly [Name in keyof SettingsTable]:
    | SettingsTable[Name][0]
    | ReturnType<SettingsTable[Name][1]>;
};

/** The environment variable of a setting: `MAX_PAGE_SIZE` for `maxPageSize`. */
export const toEnvironmentName = (setting: string): string =>
  setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** Throws a ConfigError that names every wrong setting, its value, and the values it takes. */
export function loadConfig(env: Environment): Config {
  const problems: string[] = [];

  function read(name: string, parse: (text: string) => unknown): unknown {
    const value = env[name];
    if (value === undefined) return undefined;
    try {
      return parse(value);
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      const shown = error instanceof HiddenValueError ? '' : `="${quote(value)}"`;
      problems.push(`${name}${shown}: takes ${error.message}`);
      return undefined;
    }
  }

  if (env.NODE_ENV === 'production' && env.MESSAGING_URL === undefined) {
    problems.push(
      'MESSAGING_URL is not set: with NODE_ENV=production, set it to the address of the REST service, or to "embedded"',
    );
  }
  const entries = Object.entries(SETTINGS).map(([name, [fallback, parse]]) => [
    name,
    read(toEnvironmentName(name), parse) ?? fallback,
  ]);
  const config: Config = Object.fromEntries(entries);
  const forth = config.pagingParam ?? USUAL_PARAMETERS.after;
  if (forth === (config.pagingBackParam ?? USUAL_PARAMETERS.before)) {
    problems.push(
      `PAGING_BACK_PARAM="${forth}": takes a name that differs from PAGING_PARAM`,
    );
  }
  const fixed = Object.keys(config.restHeaders ?? {});
  const twice = fixed.find((name) => config.forwardHeaders?.includes(name));
  if (twice !== undefined)
    problems.push(`FORWARD_HEADERS: takes no header of REST_HEADERS: not ${twice}`);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}
