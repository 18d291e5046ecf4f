import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LAUNCHER, type Running, run } from '../../support/command.ts';
import { readMetric } from '../../support/metrics.ts';
import { startServer } from '../processes.ts';
import { startNginx } from './nginx.ts';
import { findPorts, until } from './ports.ts';
import { startReplica } from './replica.ts';

export const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

/**
 * Three replicas in front of one embedded service, behind a real nginx, with the files of deploy/, and a real Redis.
 * `settings`: of the replicas, besides the addresses of the service and of Redis.
 */
export async function startFleet(settings: Settings) {
  const stack = new AsyncDisposableStack();
  try {
    return await startOn(stack, settings);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

type Settings = Readonly<Record<string, string>>;

/** `stack` ends all that was started. */
async function startOn(stack: AsyncDisposableStack, settings: Settings) {
  const folder = await mkdtemp(join(tmpdir(), 'messaging-graphql-replicas-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  // nginx, started by root, works as another user.
  await chmod(folder, 0o777);
  const [redisPort = 0, nginxPort = 0, ...ports] = await findPorts(5);
  const service = stack.use(await startServer(process.execPath, [LAUNCHER, 'embedded']));
  const environmentFile = join(folder, 'replica.env');
  const lines = Object.entries({
    MESSAGING_URL: service.url,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    LOG_LEVEL: 'warn',
    ...settings,
  }).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(environmentFile, lines.join(''));

  const startRedis = async (): Promise<Running> => {
    const redis = stack.use(
      run(
        [
          ...['--port', `${redisPort}`, '--bind', '127.0.0.1'],
          ...['--save', '', '--appendonly', 'no', '--dir', folder],
        ],
        {},
        'redis-server',
      ),
    );
    await until('Redis is ready', () => {
      if (!redis.isRunning()) throw new Error(`Redis ended: ${printedBy(redis)}`);
      return redis.lines.some((line) => line.includes('Ready to accept connections'));
    });
    return redis;
  };
  const replicas = new Map<number, Running>();
  const start = async (port: number) =>
    void replicas.set(port, stack.use(await startReplica(port, environmentFile)));
  const isConnected = async (port: number) =>
    (await readMetric({ url: urlOf(port) }, 'gateway_redis_connected'))[''] === 1;
  const allConnected = async () =>
    (await Promise.all(ports.map(isConnected))).every(Boolean);

  let redis = await startRedis();
  await Promise.all(ports.map(start));
  const nginx = stack.use(await startNginx(folder, nginxPort, ports));
  await until('all replicas are connected to Redis', allConnected).catch((error) => {
    throw new Error([redis, ...replicas.values()].map(printedBy).join('\n'), {
      cause: error,
    });
  });
  return {
    /** For temporary files. */
    folder,
    environmentFile,
    nginx,
    /** Of the replicas. */
    ports,
    redis: () => redis,
    /** Resolves when Redis can be used. */
    async startRedis() {
      redis = await startRedis();
    },
    /** Whether a replica can use Redis. */
    isConnected,
    allConnected,
    start,
    /** Stops a replica as systemd does, and resolves with its exit status. */
    stop: async (port: number) => (await replicas.get(port)?.end('SIGTERM')) ?? null,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const printedBy = ({ lines, errors }: Running): string =>
  [...lines, ...errors].join('\n');
