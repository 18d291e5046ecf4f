import { readFileSync } from 'node:fs';
import { Client } from 'undici';
import { WORKER_COMMAND } from '../../src/cluster/messages.ts';
import { childrenOf } from './command.ts';
import type { AskOptions, GraphqlAnswer } from './gateway.ts';
import { startScriptedProcess } from './gateway-process.ts';
import type { Script } from './upstream.ts';

interface WorkersOptions {
  /** Default: that the service has the message m1. */
  readonly script?: Script;
  readonly env?: Record<string, string>;
  readonly count?: number;
}

/** Starts the gateway with WORKERS, as an operator does, in front of a service of its own. */
export async function startWorkers({ script, env = {}, count = 2 }: WorkersOptions = {}) {
  const gateway = await startScriptedProcess(script, {
    WORKERS: `${count}`,
    EXPLORER: 'false',
    ...env,
  });
  const pid = gateway.child.pid ?? Number.NaN;
  await using started = new AsyncDisposableStack();
  started.use(gateway);
  const connect = () => started.use(openConnection(gateway.url));
  // The workers take new connections in turns.
  const [one, other] = [connect(), connect()];
  const all = started.move();
  return {
    ...gateway,
    pid,
    /** The processes of the workers. */
    workers: () => childrenOf(pid).filter(isWorker),
    /** To one worker, and to the other. */
    one,
    other,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/**
 * Not yet while it is a mere copy of its parent. A test that stopped it then would stop its parent as well, which waits until
 * the copy has loaded its own program.
 */
function isWorker(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith(`\0${WORKER_COMMAND}\0`);
  } catch {
    return false; // It has ended.
  }
}

/** A connection that is kept, and so always reaches the same worker. It is open when something is sent for the first time. */
function openConnection(url: string) {
  const client = new Client(url, { keepAliveTimeout: 60_000 });
  return {
    async ask(
      query: string,
      { token = 'ann-token', variables, extensions, headers }: AskOptions = {},
    ) {
      const { body, statusCode } = await client.request({
        path: '/graphql',
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          ...headers,
        },
        body: JSON.stringify({ query: query || undefined, variables, extensions }),
      });
      const answer = (await body.json()) as GraphqlAnswer;
      return { ...answer, status: statusCode };
    },
    [Symbol.asyncDispose]: () => client.destroy(),
  };
}
