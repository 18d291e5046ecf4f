import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { ConfigError, type GatewayOptions } from '../gateway.ts';
import { createLog } from '../telemetry/log.ts';
import { findFreePort } from './free-port.ts';
import { startWorkers, type Workers } from './primary.ts';

/** `stop` kills a worker that takes so much longer than an operation may take. Unit: milliseconds. */
const GRACE_MS = 10_000;
/** Node runs a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How many processes WORKERS means on this machine. */
export const countWorkers = (workers: GatewayOptions['workers']): number =>
  workers === 'auto' ? availableParallelism() : workers;

/** Starts a gateway in several processes, and in this one what watches over them. */
export async function startCluster(
  options: GatewayOptions,
  count: number,
): Promise<Workers> {
  if (!cluster.isPrimary) {
    throw new ConfigError(
      `WORKERS="${options.workers}": this process is a worker of another program already, so it takes 1`,
    );
  }
  const port = options.port === 0 ? await findFreePort(options.host) : options.port;
  const log = createLog(options.logLevel);
  const workers = await startWorkers({
    count,
    options: { ...options, port },
    log: log.logger,
    pipe: log.pass,
    stopMs: Math.min(options.operationTimeoutMs + GRACE_MS, LONGEST_TIMER_MS),
  });
  return {
    url: workers.url,
    async stop() {
      await workers.stop();
      await log.close();
    },
  };
}
