import type { Logger } from 'pino';
import { codeOf, NETWORK_CAUSES, toNetworkCause } from '../rest/network-cause.ts';
import { tryConnection } from '../rest/request.ts';

interface StartOptions {
  /** What is probably wrong with the settings, one sentence each. */
  readonly warnings: readonly string[];
  /** The service's base address. */
  readonly url: string;
  /** How long the service may take to accept a connection. Unit: milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when the gateway stops. */
  readonly signal: AbortSignal;
}

/** Logs what an operator should know at the start: doubtful settings and, once, that the service cannot be reached. */
export async function logStart(
  log: Logger,
  { warnings, url, timeoutMs, signal }: StartOptions,
): Promise<void> {
  // Nobody would see whether the service can be reached.
  if (!log.isLevelEnabled('warn')) return;
  for (const warning of warnings) log.warn(warning);
  const failure = await tryConnection({ url, timeoutMs }, signal);
  if (failure === null) return;
  const cause = toNetworkCause(failure);
  const words = cause === null ? 'there was no connection' : NETWORK_CAUSES[cause];
  log.warn(
    { cause: codeOf(failure) ?? undefined },
    `The service at MESSAGING_URL cannot be reached: ${words}. Calls fail until it can. "messaging-graphql check" says what to change.`,
  );
}
