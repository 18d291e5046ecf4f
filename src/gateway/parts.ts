import { BREAKER_STATES } from '../callers/circuit.ts';
import { KeyedTurns } from '../callers/keyed-turns.ts';
import { createOwnStates } from '../callers/own-state.ts';
import { SentOnce } from '../callers/sent-once.ts';
import { ByteQuota } from '../callers/shares.ts';
import { createOperationTime } from '../callers/time-limit.ts';
import { readTls } from '../config/tls.ts';
import type { Config } from '../config.ts';
import { shownSchemaOf } from '../document/shown-schema.ts';
import { type Documents, TrustedDocuments } from '../document/trusted.ts';
import type { ServerOptions } from '../http/context.ts';
import { loadExplorerFiles } from '../http/explorer-files.ts';
import { createStreams } from '../http/streams.ts';
import { createLive } from '../live/live.ts';
import { createBus } from '../live/notice.ts';
import { createPoller } from '../live/poll.ts';
import { OPERATIONS } from '../messaging/examples.ts';
import { EXACT_FIELD, resources } from '../messaging/index.ts';
import { OperationContext } from '../operation/context.ts';
import { createFieldCounts } from '../operation/field-counts.ts';
import { startOperations } from '../operation/start.ts';
import type { PageOptions } from '../paging/cost.ts';
import { createEndpointMemory, type EndpointMemory } from '../paging/known-endpoints.ts';
import { createStrategy } from '../paging/styles.ts';
import type { ContextOptions } from '../resolvers/context.ts';
import { createExecutableSchema } from '../resolvers/schema.ts';
import { toByteBounds } from '../rest/bytes.ts';
import { createRestClient } from '../rest/client.ts';
import { createTimestamps } from '../rest/timestamp.ts';
import { VERSION } from '../rest/user-agent.ts';
import { createCarriers } from '../sharing/changes.ts';
import { createOperationStore } from '../sharing/operations.ts';
import { noPeers } from '../sharing/peers.ts';
import { createRedisLink } from '../sharing/redis.ts';
import { createSharedSends } from '../sharing/sends.ts';
import { createDriftLog } from '../telemetry/drift.ts';
import { createLagMonitor } from '../telemetry/lag.ts';
import { createLearnedLog } from '../telemetry/learned.ts';
import { createLog, toLog } from '../telemetry/log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { observePoll } from '../telemetry/observer.ts';
import { loadTracing } from '../telemetry/tracing.ts';
import { MANIFEST_FACT, type Settings } from './settings.ts';
import { loadAgain, loadTrusted } from './trusted.ts';

/** The part of REST_CONNECTIONS that polls of watched lists may use, so that they delay no operation. */
const POLLS_PER_CONNECTION = 1 / 4;

/** Makes all that executes operations from the settings of a gateway, in which `messagingUrl` is an address. */
export async function createParts(options: Settings) {
  // Files are read before anything is opened that would have to be closed.
  const documents = options.manifest ?? loadTrusted(options.trustedDocuments);
  const trusted =
    documents && new TrustedDocuments(documents, options.trustedDocumentsMode);
  const tls = readTls(options);
  const explorerFiles = options.explorer === false ? null : await loadExplorerFiles();
  const {
    logger: log,
    logOperation,
    close: closeLog,
  } = options.logger === undefined ? createLog(options.logLevel) : toLog(options.logger);
  const { peers = noPeers(), redisUrl } = options;
  const redis = redisUrl === null ? null : await createRedisLink(redisUrl, log);
  const drift = createDriftLog(log);
  const bounds = toByteBounds(options.maxResponseBytes);
  const operationTime = createOperationTime(options.operationTimeoutMs);
  const lag = createLagMonitor();
  const client = createRestClient({
    url: options.messagingUrl,
    proxy: options.restProxy,
    tls,
    headers: options.restHeaders,
    connections: options.restConnections,
    maxQueue: options.restQueue,
    isLagging: lag.isLagging,
    retries: options.restRetries,
    timeoutMs: options.restTimeoutMs,
    operationTimeoutMs: options.operationTimeoutMs,
    maxResponseBytes: options.maxResponseBytes,
    onDrift: drift.report,
    exactField: EXACT_FIELD,
  });
  const endpoints = createEndpointMemory({
    onLearned: createLearnedLog(log),
    facts: peers.facts,
  });
  const { learned } = endpoints;
  const trust = (manifest: Documents) => trusted?.replace(manifest);
  peers.facts.listen((key, fact) => {
    if (key === MANIFEST_FACT) trust(fact as Documents);
  });
  const paging = toPageOptions(options, endpoints);
  const pollsAtOnce = Math.max(
    1,
    Math.floor(options.restConnections * POLLS_PER_CONNECTION),
  );
  const subscriptionBytes = new ByteQuota(bounds);
  const live = createLive({
    isOn: options.live,
    pollMs: options.livePollMs,
    maxSubscriptions: options.maxSubscriptions,
    bytes: subscriptionBytes,
    createPoll: createPoller({
      client,
      paging,
      atOnce: pollsAtOnce,
      time: operationTime,
      observe: (id) => observePoll(id, metrics),
    }),
    pollsAtOnce,
    bus: createBus(createCarriers(peers, redis)),
    forgetReads: client.forgetReads,
  });
  const streams = createStreams();
  const metrics: Metrics | null = options.metrics
    ? await createMetrics(
        {
          ...(redis && { gateway_redis_connected: () => (redis.isReady() ? 1 : 0) }),
          gateway_rest_pool: () => Object.entries(client.stats()),
          gateway_rest_calls_under_way: client.underWay,
          gateway_breaker_state: () => toFlags(BREAKER_STATES, client.breaker()),
          gateway_build_info: () => [[VERSION, process.version, 1]],
          gateway_fields_total: () => fields.read(),
          gateway_drift_total: drift.byKind,
          gateway_live_connections: streams.counts,
          gateway_live_subscriptions: live.counts.subscriptions,
          gateway_live_watches: live.counts.watches,
          gateway_live_oldest_look_seconds: live.counts.oldestPollSeconds,
          gateway_live_looks_total: () => live.counts.polls,
          gateway_live_changes_total: () => live.counts.changes,
          gateway_live_ends_total: () => live.counts.ends,
          gateway_learned_paging: () =>
            learned().flatMap(({ endpoint, paging }) =>
              paging === null ? [] : [[endpoint, paging, 1] as const],
            ),
          gateway_learned_max_limit: () =>
            learned().flatMap(({ endpoint, maxLimit }) =>
              maxLimit === null ? [] : [[endpoint, maxLimit] as const],
            ),
        },
        peers.totals,
      )
    : null;
  const observers = { logOperation, metrics, tracing: await loadTracing() };
  const context: ContextOptions = {
    ...paging,
    live,
    timestamps: createTimestamps(options.timestampUnit),
    turns: new KeyedTurns(),
    ownStates: createOwnStates(Date.now),
    sends: new SentOnce(),
    sharedSends: redis && createSharedSends(redis, toTurnSeconds(options)),
    maxAnswerBytes: bounds.oneAnswer,
  };
  const { introspection, restDebug, explorer } = options;
  const schema = createExecutableSchema({
    resources,
    attributesCalls: restDebug,
    introspection,
  });
  const fields = createFieldCounts(schema);
  const operations = await startOperations({
    schema,
    countFields: metrics && fields.count,
    introspection,
    paging: context,
    maxCalls: options.maxRestCalls,
    maxAnswerBytes: bounds.oneAnswer,
    subscriptionBytes,
    trusted,
    exactField: EXACT_FIELD,
    log,
    persisted: createOperationStore(peers, redis),
    explorer,
    explorerOperations: OPERATIONS,
    explorerToken: options.explorerToken ?? 'ACCESS_TOKEN',
    createContext: (request, observedBy) =>
      new OperationContext(request, {
        client,
        context,
        observers: observedBy,
        restDebug,
      }),
    observers,
    time: operationTime,
  });

  /** For the server that reads requests and writes answers. */
  const server: ServerOptions = {
    run: operations.run,
    subscribe: operations.subscribe,
    corsOrigins: options.corsOrigins,
    servesExplorer: explorer !== false,
    explorerFiles,
    maxSubscriptions: options.maxSubscriptions,
    maxSendingBytes: bounds.inAll,
    operationTime,
    holdRequest: client.meters.holdRequest,
    callerOf: client.callerOf,
    forwardHeaders: options.forwardHeaders,
    streams,
    metrics,
    readiness: () => ({ service: SERVICE[client.breaker()], learned: learned() }),
    log,
  };
  return {
    /** The schema that clients see. */
    schema: shownSchemaOf(schema),
    server,
    /** Null: the gateway counts nothing. */
    metrics,
    drift: drift.counts,
    tryConnection: client.tryConnection,
    /** Reads the manifest of trusted documents again. */
    reload: () => loadAgain(options.trustedDocuments, log, trust),
    /** Begins what logs by itself, so that it comes after the line with the address. */
    begin: () => redis?.open(),
    async close(): Promise<void> {
      live.stop();
      await operations.stop();
      await client.close();
      redis?.close();
      lag.stop();
      await closeLog();
    },
  };
}

/** Longer than a send under a key takes: its write may begin at the end of the operation's time, and then waits for a connection. */
const toTurnSeconds = ({ operationTimeoutMs, restTimeoutMs }: Settings): number =>
  Math.ceil((operationTimeoutMs + 2 * restTimeoutMs) / 1000);

const SERVICE = { closed: 'not known to fail', 'half-open': 'is tried', open: 'fails' };

/** 1 for the present state, 0 for the others. */
const toFlags = (states: readonly string[], present: string) =>
  states.map((state) => [state, state === present ? 1 : 0] as const);

/** How lists are read with these settings. */
export const toPageOptions = (
  options: Config,
  endpoints: EndpointMemory,
): PageOptions => ({
  strategy: createStrategy(options),
  bounds: {
    maxPageSize: options.maxPageSize,
    maxCalls: options.maxCallsPerList,
    maxLimit: options.maxLimit ?? Number.POSITIVE_INFINITY,
    endpoints,
  },
  listOrder: NEWEST_ENDS[options.listOrder],
});

const NEWEST_ENDS = { auto: null, newest: 'head', oldest: 'tail' } as const;
