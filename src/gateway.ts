import type { AddressInfo } from 'node:net';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import type { Logger } from 'pino';
import { type Config, ConfigError } from './config.ts';
import { type ContextOptions, createContext } from './context.ts';
import { createDriftLog, type DriftCount } from './drift-log.ts';
import { formatError } from './errors.ts';
import { toBearerToken, toSecret } from './http/bearer.ts';
import { MAX_TOKENS, refuseBySize } from './http/document-bounds.ts';
import { judgeDocuments } from './http/documents.ts';
import { explorer } from './http/explorer.ts';
import { tellCalls } from './http/journal.ts';
import { logTrouble } from './http/log.ts';
import type { OperationContext } from './http/operation.ts';
import { redactErrors, refuseUnreadable, requestErrorStatus } from './http/plugins.ts';
import { priceOperations } from './http/price.ts';
import { createServer } from './http/server.ts';
import { persistTrusted, trustOnly } from './http/trusted-documents.ts';
import { watchOperations } from './http/watch.ts';
import { createLagMonitor } from './lag.ts';
import { loadManifest, type Manifest } from './manifest.ts';
import { createStrategy } from './paging/index.ts';
import { priceList } from './paging/price.ts';
import { createBudget } from './price/budget.ts';
import { createRestClient } from './rest/client.ts';
import { createRedactor } from './rest/redact.ts';
import { createSchema, nameFields } from './schema.ts';
import { createJournal } from './telemetry/journal.ts';
import { createLog } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import {
  breakerReading,
  driftReading,
  poolReading,
  underWayReading,
} from './telemetry/reading.ts';
import { loadTracing } from './telemetry/tracing.ts';
import { watchOperation } from './telemetry/watch.ts';
import { createToIso } from './time.ts';
import { createWants, NO_WANTS } from './wants.ts';

export { type Config, ConfigError, type Environment, loadConfig } from './config.ts';

export interface GatewayOptions extends Config {
  /** A token to fill into the explorer; only one that is no secret. */
  readonly explorerToken?: string;
  /** When stopping: how long kept connections are still served before they are closed. Default 0. Unit: milliseconds. */
  readonly lingerMs?: number;
}

export interface Gateway {
  /** Where it listens, `http://127.0.0.1:4000`; GraphQL is at `/graphql` below it. */
  readonly url: string;
  /** Fields that came although the interface does not name them, and promised ones that were missing. */
  drift(): readonly DriftCount[];
  /** Turns /readyz to 503 at once; ends when every accepted operation has been answered. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** When stopping, running operations get what an operation may take and this much more. Unit: milliseconds. */
const GRACE_MS = 1000;

/** Starts a gateway in front of `messagingUrl`, which must be an address: the embedded service is the command's. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  if (!URL.canParse(options.messagingUrl)) {
    throw new ConfigError(
      'startGateway needs the address of a service: set MESSAGING_URL.',
    );
  }
  const trusted =
    options.trustedDocuments === null
      ? null
      : await loadManifest(options.trustedDocuments);
  const log = createLog(options.logLevel);
  const drift = createDriftLog(log);
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
  const metrics = options.metrics
    ? await createMetrics([
        poolReading(client.stats),
        underWayReading(client.underWay),
        breakerReading(client.breaker),
        driftReading(drift.counts),
      ])
    : null;
  const tracing = await loadTracing();
  const contextOptions = toContextOptions(options);
  const apollo = createApollo({ ...options, trusted }, contextOptions, log);
  await apollo.start();

  const { app, drain } = await createServer({
    apollo,
    corsOrigins: options.corsOrigins,
    log,
    operationTimeoutMs: options.operationTimeoutMs,
    metrics,
    createContext: (request, signal) => {
      const { id, headers } = request;
      const watch = watchOperation({ id, headers, signal }, { log, metrics, tracing });
      const token = toBearerToken(headers.authorization);
      const deadline = performance.now() + options.operationTimeoutMs;
      const redact = createRedactor(toSecret(headers.authorization));
      const journal = options.restDebug ? createJournal(redact) : null;
      const send = client.forCaller({
        token,
        signal,
        deadline,
        observe: watch.observe,
        onCall: journal?.onCall ?? null,
      });
      const budget = createBudget();
      const wants = journal === null ? NO_WANTS : createWants();
      return {
        ...createContext(send, contextOptions, { budget, wants }),
        requestId: id,
        budget,
        redact,
        watch,
        journal,
      };
    },
  });
  await app.listen({ host: options.host, port: options.port });

  const stop = async () => {
    await drain.finish({
      graceMs: options.operationTimeoutMs + GRACE_MS,
      lingerMs: options.lingerMs ?? 0,
    });
    await apollo.stop();
    await client.close();
    lag.stop();
  };
  return {
    url: toUrl(app.server.address()),
    drift: drift.counts,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function createApollo(
  {
    introspection,
    explorerToken,
    maxRestCalls,
    restDebug,
    trusted,
  }: GatewayOptions & { trusted: Manifest | null },
  contextOptions: ContextOptions,
  log: Logger,
): ApolloServer<OperationContext> {
  return new ApolloServer<OperationContext>({
    schema: restDebug ? nameFields(createSchema()) : createSchema(),
    formatError,
    introspection,
    hideSchemaDetailsFromClientErrors: !introspection,
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    parseOptions: { maxTokens: MAX_TOKENS },
    ...(trusted === null ? {} : { persistedQueries: persistTrusted(trusted) }),
    // A page of another site cannot set Authorization without being asked first.
    csrfPrevention: {
      requestHeaders: [
        'authorization',
        'x-apollo-operation-name',
        'apollo-require-preflight',
      ],
    },
    stopOnTerminationSignals: false,
    logger: log,
    plugins: [
      // It makes Apollo wrap every resolver; the answers say no-store anyway.
      ApolloServerPluginCacheControlDisabled(),
      explorer(explorerToken ?? 'ACCESS_TOKEN'),
      refuseUnreadable,
      judgeDocuments(
        trusted === null ? [refuseBySize] : [trustOnly(trusted), refuseBySize],
      ),
      priceOperations({
        maxCalls: maxRestCalls,
        maxPageSize: contextOptions.bounds.maxPageSize,
        priceList: (args) => priceList(args, contextOptions),
      }),
      tellCalls,
      requestErrorStatus,
      redactErrors,
      logTrouble(log),
      watchOperations,
    ],
  });
}

const toContextOptions = (options: GatewayOptions): ContextOptions => ({
  toIso: createToIso(options.timestampUnit),
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
  },
});

function toUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('not listening');
  const { address: host, port, family } = address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}
