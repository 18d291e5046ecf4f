import { type Config, ConfigError, loadConfig, toEnvironmentName } from '../config.ts';
import type { Documents } from '../document/trusted.ts';
import type { Peers } from '../sharing/peers.ts';
import { isHostLogger } from '../telemetry/host-logger.ts';
import type { GatewayOptions } from './options.ts';

/** The key of the fact by which workers hear of another manifest. */
export const MANIFEST_FACT = 'manifest';

/** What the command tells the gateways of its processes besides. */
export interface ProcessOptions extends GatewayOptions {
  /** The settings without secrets, with which the log begins. Default: the log has no such line. */
  readonly shownSettings?: Readonly<Record<string, unknown>> | undefined;
  /** The other processes of the same gateway. Default: there are none. */
  readonly peers?: Peers | undefined;
  /** The trusted documents, which the first process has read. Default: this process reads the file. */
  readonly manifest?: Documents | undefined;
  /** Another process has logged what there is to say at the start. */
  readonly startIsLogged?: boolean | undefined;
}

/** All settings, with their defaults, and the other options: the one record from which a gateway is made. */
export type Settings = Omit<ProcessOptions, keyof Config> & Config;

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
export function toSettings(options: ProcessOptions): Settings {
  const problems = Object.keys(options)
    .filter((name) => !Object.hasOwn(DEFAULTS, name) && !OTHERS.includes(name))
    .map((name) => `${name}: there is no such setting${toHint(name)}`);
  if (options.logger !== undefined && !isHostLogger(options.logger)) {
    problems.push(
      'logger: takes a logger with debug, info, warn and error, such as one of pino',
    );
  }
  const given: Readonly<Record<string, unknown>> = { ...options };
  const texts = Object.keys(DEFAULTS)
    .filter((name) => (given[name] ?? null) !== null)
    .map((name) => [toEnvironmentName(name), toText(given[name])]);
  const env = { NODE_ENV: process.env.NODE_ENV, ...Object.fromEntries(texts) };
  try {
    const config = loadConfig(env);
    if (problems.length === 0) return { ...options, ...config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(error.message);
  }
  throw new ConfigError(problems.join('\n'));
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
