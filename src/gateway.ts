import type { AddressInfo } from 'node:net';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { type Logger, pino } from 'pino';
import { type Config, ConfigError } from './config.ts';
import { type ContextOptions, createContext } from './context.ts';
import { createDriftLog, type DriftCount } from './drift-log.ts';
import { formatError } from './errors.ts';
import { toBearerToken, toSecret } from './http/bearer.ts';
import { explorer } from './http/explorer.ts';
import { logTrouble } from './http/log.ts';
import type { OperationContext } from './http/operation.ts';
import { redactErrors, refuseUnreadable, requestErrorStatus } from './http/plugins.ts';
import { createServer } from './http/server.ts';
import { createStrategy } from './paging/index.ts';
import { createRestClient } from './rest/client.ts';
import { createRedactor } from './rest/redact.ts';
import { createSchema } from './schema.ts';
import { createToIso } from './time.ts';

export { type Config, ConfigError, type Environment, loadConfig } from './config.ts';

export interface GatewayOptions extends Config {
  /** A token to fill into the explorer; only one that is no secret. */
  readonly explorerToken?: string;
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
const MAX_TOKENS = 10_000;

/** Starts a gateway in front of `messagingUrl`, which must be an address: the embedded service is the command's. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  if (!URL.canParse(options.messagingUrl)) {
    throw new ConfigError(
      'startGateway needs the address of a service: set MESSAGING_URL.',
    );
  }
  const log = pino({ level: options.logLevel, base: null });
  const drift = createDriftLog(log);
  const client = createRestClient({
    url: options.messagingUrl,
    connections: options.restConnections,
    retries: options.restRetries,
    timeoutMs: options.restTimeoutMs,
    maxResponseBytes: options.maxResponseBytes,
    onDrift: drift.report,
  });
  const apollo = createApollo(options, log);
  await apollo.start();

  const contextOptions = toContextOptions(options);
  const { app, drain } = await createServer({
    apollo,
    corsOrigins: options.corsOrigins,
    log,
    operationTimeoutMs: options.operationTimeoutMs,
    createContext: ({ id, headers: { authorization } }, signal) => ({
      ...createContext(
        client.forCaller({ token: toBearerToken(authorization), signal }),
        contextOptions,
      ),
      requestId: id,
      redact: createRedactor(toSecret(authorization)),
    }),
  });
  await app.listen({ host: options.host, port: options.port });

  const stop = async () => {
    await drain.finish(options.operationTimeoutMs + GRACE_MS);
    await apollo.stop();
    await client.close();
  };
  return {
    url: toUrl(app.server.address()),
    drift: drift.counts,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function createApollo(
  { introspection, explorerToken }: GatewayOptions,
  log: Logger,
): ApolloServer<OperationContext> {
  return new ApolloServer<OperationContext>({
    schema: createSchema(),
    formatError,
    introspection,
    hideSchemaDetailsFromClientErrors: !introspection,
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    parseOptions: { maxTokens: MAX_TOKENS },
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
      requestErrorStatus,
      redactErrors,
      logTrouble(log),
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
