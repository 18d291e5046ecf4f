import { EMBEDDED } from '../config/values.ts';
import type { Config } from '../config.ts';
import { DEFAULT_ANSWERS } from '../embedded/answers.ts';
import type { SampleUser } from '../embedded/sample/mailboxes.ts';

/**
 * The service behind a gateway: the settings with its address, and the users whose tokens it accepts, none if it is not
 * embedded. Starts the embedded one.
 */
export async function openService<T extends Config>(settings: T) {
  if (settings.messagingUrl !== EMBEDDED) {
    const sampleUsers: readonly SampleUser[] = [];
    return { settings, sampleUsers, close: async () => {} };
  }
  const { startEmbeddedService } = await import('../embedded/service.ts');
  const { url, sampleUsers, close } = await startEmbeddedService();
  const served = { ...withKnownUnit(settings), messagingUrl: url, restProxy: null };
  return { settings: served, sampleUsers, close };
}

/** In front of the embedded service the unit of timestamps is known, so clients can read date-times without a setting. */
export function withKnownUnit<T extends Config>(settings: T): T {
  if (settings.messagingUrl !== EMBEDDED) return settings;
  const timestampUnit = settings.timestampUnit ?? DEFAULT_ANSWERS.timestampUnit;
  return { ...settings, timestampUnit };
}
