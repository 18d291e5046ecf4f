import { EMBEDDED } from '../config/values.ts';
import type { Config } from '../config.ts';
import { DEFAULT_ANSWERS } from '../embedded/answers.ts';
import type { SampleUser } from '../embedded/sample/mailboxes.ts';
import { startEmbeddedService } from '../embedded/service.ts';

/** The service behind a gateway. */
export interface Service<T extends Config> {
  /** With its address. */
  readonly settings: T;
  /** Whose tokens it accepts; empty for a service that is not embedded. */
  readonly sampleUsers: readonly SampleUser[];
  close(): Promise<void>;
}

/** The configured service; if it is the embedded one, starts that. */
export async function openService<T extends Config>(settings: T): Promise<Service<T>> {
  if (settings.messagingUrl !== EMBEDDED) {
    return { settings, sampleUsers: [], close: async () => {} };
  }
  const { url, sampleUsers, close } = await startEmbeddedService();
  const served = { ...withKnownUnit(settings), messagingUrl: url };
  return { settings: served, sampleUsers, close };
}

/** In front of the embedded service the unit of timestamps is known, so clients can read date-times without a setting. */
export function withKnownUnit<T extends Config>(settings: T): T {
  if (settings.messagingUrl !== EMBEDDED) return settings;
  const timestampUnit = settings.timestampUnit ?? DEFAULT_ANSWERS.timestampUnit;
  return { ...settings, timestampUnit };
}
