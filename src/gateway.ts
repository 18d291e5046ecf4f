import type { AddressInfo } from 'node:net';
import { type Config, ConfigError } from './config.ts';
import { loadManifest, ManifestError } from './document/manifest.ts';
import type { Manifest } from './document/trusted.ts';
import { listen } from './http/listen.ts';
import { createServer } from './http/server.ts';
import { createBus } from './live/bus.ts';
import { createLive } from './live/live.ts';
import { createOpenLook } from './live/look.ts';
import { createOperationContext } from './operation/context.ts';
import { createPipeline } from './operation/pipeline.ts';
import type { OperationRequest } from './operation/request.ts';
import { startOperations } from './operation/start.ts';
import type { PageOptions } from './paging/cost.ts';
import { createLimitMemory } from './paging/known-limits.ts';
import { createStrategy } from './paging/styles.ts';
import type { ContextOptions } from './resolvers/context.ts';
import { createExecutableSchema } from './resolvers/schema.ts';
import { toByteBounds } from './rest/bytes.ts';
import { createRestClient } from './rest/client.ts';
import type { Facts } from './rest/facts.ts';
import { createTimestamps } from './rest/timestamp.ts';
import { alone } from './sharing/alone.ts';
import { createCarriers } from './sharing/changes.ts';
import { createOperationStore } from './sharing/operations.ts';
import type { Peers } from './sharing/peers.ts';
import { createRedisLink } from './sharing/redis.ts';
import {
  breakerGauge,
  driftCounter,
  poolGauge,
  underWayGauge,
} from './telemetry/collected.ts';
import { createDriftLog, type DriftCount } from './telemetry/drift.ts';
import { createLagMonitor } from './telemetry/lag.ts';
import { liveMetrics } from './telemetry/live.ts';
import { createLog } from './telemetry/log.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { type ObserverOptions, observeLook } from './telemetry/observer.ts';
import { redisMetrics } from './telemetry/sharing.ts';
import { loadTracing } from './telemetry/tracing.ts';

export { type Config, ConfigError, type Environment, loadConfig } from './config.ts';
export { printSchema } from './resolvers/schema-text.ts';

export interface GatewayOptions extends Config {
  /** A token for the explorer's header. Everybody who opens the explorer sees it, so it must not be a secret. */
  readonly explorerToken?: string;
  /** For tests: every operation takes the way of repeated ones at once. Default false. */
  readonly plansAtFirstSight?: boolean;
  /** How long `stop` still serves keep-alive connections before it closes them. Default 0. Unit: milliseconds. */
  readonly lingerMs?: number;
  /** For the workers of the command: the other processes of the same gateway. Default: there are none. */
  readonly peers?: Peers;
}

export interface Gateway {
  /** Its address, such as `http://127.0.0.1:4000`; GraphQL is at `/graphql`. */
  readonly url: string;
  /** Counts the fields in which the service's objects differ from the interface. */
  drift(): readonly DriftCount[];
  /** Makes /readyz answer 503 at once; resolves when every accepted operation has been answered. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** `stop` waits for running operations as long as an operation may take, and this much longer. Unit: milliseconds. */
const GRACE_MS = 1000;

/** The part of REST_CONNECTIONS that looks at lists may use, so that they delay no operation. */
const LOOKS_PER_CONNECTION = 1 / 4;

/** Starts a gateway in front of `messagingUrl`. This must be an address: only the command line starts the embedded service. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  if (!URL.canParse(options.messagingUrl)) {
    throw new ConfigError(
      'startGateway needs the address of a service: set MESSAGING_URL.',
    );
  }
  const { peers = alone() } = options;
  const trusted = await loadTrusted(options.trustedDocuments);
  const { logger: log, logOperation, close: closeLog } = createLog(options.logLevel);
  const redis =
    options.redisUrl === null ? null : await createRedisLink(options.redisUrl, log);
  const drift = createDriftLog(log);
  const bounds = toByteBounds(options.maxResponseBytes);
  const lag = createLagMonitor();
  const client = createRestClient({
    url: options.messagingUrl,
    connections: options.restConnections,
    maxQueue: options.restQueue,
    isLagging: lag.isLagging,
    retries: options.restRetries,
    timeoutMs: options.restTimeoutMs,
    maxResponseBytes: options.maxResponseBytes,
    onDrift: drift.report,
  });
  const paging = toPageOptions(options, peers.facts);
  const live = createLive({
    isOn: options.live,
    pollMs: options.livePollMs,
    maxSubscriptions: options.maxSubscriptions,
    openLook: createOpenLook({
      client,
      paging,
      atOnce: Math.max(1, Math.floor(options.restConnections * LOOKS_PER_CONNECTION)),
      timeoutMs: options.operationTimeoutMs,
      observe: (id) => observeLook(id, metrics),
    }),
    bus: createBus(createCarriers(peers, redis)),
    forgetReads: client.forgetReads,
  });
  const metrics: Metrics | null = options.metrics
    ? await createMetrics(
        [
          poolGauge(client.stats),
          underWayGauge(client.underWay),
          breakerGauge(client.breaker),
          driftCounter(drift.counts),
          ...redisMetrics(redis),
          ...liveMetrics(live.counts),
        ],
        peers.totals,
      )
    : null;
  const observers = { logOperation, metrics, tracing: await loadTracing() };
  const context: ContextOptions = {
    ...paging,
    live,
    timestamps: createTimestamps(options.timestampUnit, peers.facts),
    maxAnswerBytes: bounds.oneAnswer,
  };
  const { introspection, restDebug } = options;
  const schema = createExecutableSchema({ attributesCalls: restDebug, introspection });
  const pipeline = createPipeline({
    schema,
    paging: context,
    maxCalls: options.maxRestCalls,
    maxAnswerBytes: bounds.oneAnswer,
    trusted,
    log,
  });
  const createContext = (request: OperationRequest, observers: ObserverOptions) =>
    createOperationContext(request, { client, context, observers, restDebug });
  const operations = await startOperations(pipeline, {
    schema,
    plansAtFirstSight: options.plansAtFirstSight ?? false,
    introspection,
    trusted,
    persisted: createOperationStore(peers, redis),
    explorerToken: options.explorerToken ?? 'ACCESS_TOKEN',
    log,
    createContext: (request) => createContext(request, observers),
    streams: { createContext, observers, timeoutMs: options.operationTimeoutMs },
  });

  const { app, drain } = await createServer({
    run: operations.run,
    subscribe: operations.subscribe,
    corsOrigins: options.corsOrigins,
    log,
    operationTimeoutMs: options.operationTimeoutMs,
    maxSendingBytes: bounds.inAll,
    metrics,
  });
  await listen(app, options);
  // Only now, because what it logs comes after the line with the address.
  redis?.open();

  const stop = async () => {
    await drain.finish({
      graceMs: options.operationTimeoutMs + GRACE_MS,
      lingerMs: options.lingerMs ?? 0,
    });
    live.stop();
    await operations.stop();
    await client.close();
    redis?.close();
    lag.stop();
    await closeLog();
  };
  return {
    url: toUrl(app.server.address()),
    drift: drift.counts,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Null: any document may run. */
async function loadTrusted(path: string | null): Promise<Manifest | null> {
  try {
    return path === null ? null : await loadManifest(path);
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    throw new ConfigError(
      `TRUSTED_DOCUMENTS="${path}": takes the path of a manifest of documents; ${error.message}`,
    );
  }
}

const toPageOptions = (options: GatewayOptions, facts: Facts): PageOptions => ({
  strategy: createStrategy({
    style: options.paging,
    param: options.pagingParam,
    backParam: options.pagingBackParam,
    unknownId: options.pagingUnknownId,
    maxPageSize: options.maxPageSize,
  }),
  bounds: {
    maxPageSize: options.maxPageSize,
    maxCalls: options.maxCallsPerList,
    maxLimit: options.maxLimit ?? Number.POSITIVE_INFINITY,
    limits: createLimitMemory(Date.now, facts),
  },
});

function toUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('not listening');
  const { address: host, port, family } = address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}
