import { LAUNCHER, run, toAddress } from './command.ts';
import { type AskOptions, ask } from './gateway.ts';
import { type Script, startUpstream, withService } from './upstream.ts';

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
  /** The lines of the log, without the greeting and the line with the settings. */
  const log = () =>
    running.lines.slice(1).filter((line) => !line.endsWith('"msg":"started"}'));
  const entries = () => log().map((line) => JSON.parse(line));
  return {
    ...running,
    url,
    ask: (query: string, options?: AskOptions) => ask(url, query, options),
    log,
    entries,
    /** Ends the gateway, so that it writes all of its log. Throws unless its exit status is 0. */
    async stop() {
      running.child.kill('SIGTERM');
      const status = await running.exit();
      if (status !== 0) throw new Error(`ended with ${status}`);
      return entries();
    },
  };
}

/** The same in front of a service that follows a script; by default, it has the message m1. */
export async function startScriptedProcess(
  script?: Script,
  env: Record<string, string> = {},
  nodeOptions: readonly string[] = [],
) {
  const service = await startUpstream(script);
  return withService(await startGatewayProcess(service.url, env, nodeOptions), service);
}
