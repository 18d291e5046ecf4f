import cluster from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { LONGEST_TIMER_MS } from '../callers/time-limit.ts';
import { type Config, ConfigError } from '../config.ts';
import { openService } from '../gateway/service.ts';
import type { ListeningGateway } from '../gateway.ts';
import { createLog } from '../telemetry/log.ts';
import { startWorkers } from './primary.ts';

/** `stop` kills a worker that takes this much longer than an operation may take. Unit: milliseconds. */
const GRACE_MS = 10_000;

interface ClusterOptions extends Config {
  readonly shownSettings: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  readonly lingerMs: number;
}

/** Starts a gateway in several processes. This process replaces those that end, and has the embedded service, if there is one. */
export async function startCluster(
  given: ClusterOptions,
  count: number,
): Promise<Pick<ListeningGateway, 'url' | 'sampleUsers' | 'reload' | 'close'>> {
  if (!cluster.isPrimary) {
    throw new ConfigError(
      `WORKERS="${given.workers}": takes 1 here, because another program has started this process as a worker of its own`,
    );
  }
  const { trustedDocuments: path } = given;
  // It loads graphql, which this process needs for nothing else.
  const files = path === null ? null : await import('../gateway/trusted.ts');
  const manifest = files?.loadTrusted(path) ?? undefined;
  const { settings, sampleUsers, close } = await openService(given);
  const port = settings.port === 0 ? await findFreePort(settings.host) : settings.port;
  const log = createLog(settings.logLevel);
  const workers = await startWorkers({
    count,
    options: { ...settings, port, explorerToken: sampleUsers[0]?.token, manifest },
    log: log.logger,
    pipe: log.pass,
    stopMs: Math.min(settings.operationTimeoutMs + GRACE_MS, LONGEST_TIMER_MS),
  });
  return {
    url: workers.url,
    sampleUsers,
    reload: () => files?.loadAgain(path, log.logger, workers.trust),
    async close() {
      await workers.stop();
      await close();
      await log.close();
    },
  };
}

/** A free port of this machine, for workers that must all listen at the same one, also those that start later. */
async function findFreePort(host: string): Promise<number> {
  const server = createServer();
  await once(server.listen(0, host), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
