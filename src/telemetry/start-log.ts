import type { Logger } from 'pino';
import type { RestClient } from '../rest/client.ts';
import { codeOf, NETWORK_CAUSES, toNetworkCause } from '../rest/network-cause.ts';
import { VERSION } from '../rest/user-agent.ts';

interface StartOptions {
  /** Without secrets; undefined in other programs, which know their settings. */
  readonly shownSettings: Readonly<Record<string, unknown>> | undefined;
  /** What is probably wrong with the settings, one sentence each. */
  readonly warnings: readonly string[];
  readonly tryConnection: RestClient['tryConnection'];
  /** Aborted when the gateway stops. */
  readonly signal: AbortSignal;
}

/** Logs what an operator should know at the start: versions, settings, doubtful ones and, once, that the service cannot be reached. */
export async function logStart(
  log: Logger,
  { shownSettings: settings, warnings, tryConnection, signal }: StartOptions,
): Promise<void> {
  if (settings !== undefined)
    log.info({ version: VERSION, node: process.version, settings }, 'started');
  // Nobody would see whether the service can be reached.
  if (!log.isLevelEnabled('warn')) return;
  for (const warning of warnings) log.warn(warning);
  const failure = await tryConnection();
  if (failure === null || signal.aborted) return;
  const cause = toNetworkCause(failure);
  const words = cause === null ? 'there was no connection' : NETWORK_CAUSES[cause];
  log.warn(
    { cause: codeOf(failure) ?? undefined },
    `The service at MESSAGING_URL cannot be reached: ${words}. Calls fail until it can. "messaging-graphql check" says what to change.`,
  );
}
