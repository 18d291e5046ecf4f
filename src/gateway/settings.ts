import { type Config, ConfigError, loadConfig, toEnvironmentName } from '../config.ts';
import type { Documents } from '../document/trusted.ts';
import type { Peers } from '../sharing/peers.ts';
import { type HostLogger, isHostLogger } from '../telemetry/log.ts';

/** Any of the settings, as values. What is left out, undefined or null has the default of its environment variable. */
type Given = {
  readonly [Name in keyof Config]?: Config[Name] | undefined;
};

/** The key of the fact by which workers hear of another manifest. */
export const MANIFEST_FACT = 'manifest';

export interface GatewayOptions extends Given {
  /** The process's own logger, such as pino's; it takes the gateway's lines at its own level, and `logLevel` has no effect. */
  readonly logger?: HostLogger | undefined;
  /** A token for the explorer's header. Everybody who opens the explorer sees it, so it must not be a secret. */
  readonly explorerToken?: string | undefined;
  /** How long `close` still serves keep-alive connections before it closes them. Default 0. Unit: milliseconds. */
  readonly lingerMs?: number | undefined;
  /** For the command: the settings without secrets, with which its log begins. Default: the log has no such line. */
  readonly shownSettings?: Readonly<Record<string, unknown>> | undefined;
  /** What is probably wrong with the settings; logged at the start. */
  readonly warnings?: readonly string[] | undefined;
  /** For the workers of the command: the other processes of the same gateway. Default: there are none. */
  readonly peers?: Peers | undefined;
  /** For the workers of the command: the first process has read it. */
  readonly manifest?: Documents | undefined;
  /** For the workers of the command: another one has logged what there is to say at the start. */
  readonly startIsLogged?: boolean | undefined;
}

/** All settings, with their defaults, and the other options: the one record from which a gateway is made. */
export type Settings = Omit<GatewayOptions, keyof Config> & Config;

/** The options that are no settings of the environment. */
const OTHERS = [
  'logger',
  'explorerToken',
  'lingerMs',
  'shownSettings',
  'warnings',
  'peers',
  'manifest',
  'startIsLogged',
];

const DEFAULTS: Readonly<Record<string, unknown>> = {
  ...loadConfig({ MESSAGING_URL: 'embedded' }),
};

/** Checks settings as those of the environment are. Throws a ConfigError that names every wrong one. */
export function toSettings(options: GatewayOptions): Settings {
  const problems = Object.keys(options)
    .filter((name) => !Object.hasOwn(DEFAULTS, name) && !OTHERS.includes(name))
    .map((name) => `${name}: there is no such setting${toHint(name)}`);
  if (options.logger !== undefined && !isHostLogger(options.logger)) {
    problems.push('logger: takes a logger of pino, or one with the same methods');
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  const given: Readonly<Record<string, unknown>> = { ...options };
  const texts = Object.keys(DEFAULTS)
    .filter((name) => (given[name] ?? null) !== null)
    .map((name) => [toEnvironmentName(name), toText(given[name])]);
  const env = { NODE_ENV: process.env.NODE_ENV, ...Object.fromEntries(texts) };
  return { ...options, ...loadConfig(env) };
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The right name, if this one is that of the environment variable, or differs in upper and lower case. */
function toHint(name: string): string {
  const meant = Object.keys(DEFAULTS).find(
    (setting) =>
      toEnvironmentName(setting) === name || setting.toLowerCase() === name.toLowerCase(),
  );
  return meant === undefined ? '' : `; it is called ${meant} here`;
}
