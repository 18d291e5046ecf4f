import type { Config } from '../config.ts';
import type { HostLogger } from '../telemetry/host-logger.ts';

/** Any of the settings, as values. What is left out, undefined or null has the default of its environment variable. */
type Given = {
  readonly [Name in keyof Config]?: Config[Name] | undefined;
};

export interface GatewayOptions extends Given {
  /** The process's own logger, such as pino's; it takes the gateway's lines at its own level, and `logLevel` has no effect. */
  readonly logger?: HostLogger | undefined;
  /** A token for the explorer's header. Everybody who opens the explorer sees it, so it must not be a secret. */
  readonly explorerToken?: string | undefined;
  /** How long `close` still serves keep-alive connections before it closes them. Default 0. Unit: milliseconds. */
  readonly lingerMs?: number | undefined;
  /** What is probably wrong with the settings; logged at the start. */
  readonly warnings?: readonly string[] | undefined;
}
