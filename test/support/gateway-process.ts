import { LAUNCHER, run, toAddress } from './command.ts';
import { type AskOptions, ask } from './gateway.ts';

/** Starts the gateway as an operator does: as a process that writes its log to its output. */
export async function startGatewayProcess(
  messagingUrl: string,
  env: Record<string, string> = {},
  nodeOptions: readonly string[] = [],
) {
  const running = run([...nodeOptions, LAUNCHER], {
    MESSAGING_URL: messagingUrl,
    ...env,
  });
  const url = toAddress(await running.first());
  return {
    ...running,
    url,
    ask: (query: string, options?: AskOptions) => ask(url, query, options),
    /** The lines of the log, without the greeting. */
    log: () => running.lines.slice(1),
  };
}
