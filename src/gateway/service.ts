import { EMBEDDED } from '../config/values.ts';
import type { Config } from '../config.ts';
import { DEFAULT_ANSWERS } from '../embedded/answers.ts';
import type { SampleUser } from '../embedded/sample/mailboxes.ts';
import { startEmbeddedService } from '../embedded/service.ts';

/** The service behind a gateway. */
export interface Service {
  /** The settings with its address. */
  readonly config: Config;
  /** Whose tokens it accepts; empty for a service that is not embedded. */
  readonly sampleUsers: readonly SampleUser[];
  close(): Promise<void>;
}

/** The configured service; if it is the embedded one, starts that. */
export async function openService(config: Config): Promise<Service> {
  if (config.messagingUrl !== EMBEDDED) {
    return { config, sampleUsers: [], close: async () => {} };
  }
  const { url, sampleUsers, close } = await startEmbeddedService();
  return { config: { ...withKnownUnit(config), messagingUrl: url }, sampleUsers, close };
}

/** In front of the embedded service the unit of timestamps is known, so clients can read date-times without a setting. */
export const withKnownUnit = (config: Config): Config =>
  config.messagingUrl === EMBEDDED
    ? { ...config, timestampUnit: config.timestampUnit ?? DEFAULT_ANSWERS.timestampUnit }
    : config;
