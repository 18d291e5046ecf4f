import type { AddressInfo } from 'node:net';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { pino } from 'pino';
import type { Config } from './config.ts';
import { createContext } from './context.ts';
import { createDriftLog, type DriftCount } from './drift-log.ts';
import { formatError } from './errors.ts';
import { toBearerToken } from './http/bearer.ts';
import { explorer } from './http/explorer.ts';
import type { OperationContext } from './http/operation.ts';
import {
  logBugs,
  redactErrors,
  refuseUnreadable,
  requestErrorStatus,
} from './http/plugins.ts';
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
  /** Not ready from now on; ends when the operations it had accepted have been answered. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How much longer than an operation may take the end waits for one. Unit: milliseconds. */
const GRACE_MS = 1000;

/** Starts a gateway in front of `messagingUrl`, which must be an address here. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
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
  const contextOptions = {
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
  };

  const apollo = new ApolloServer<OperationContext>({
    schema: createSchema(),
    formatError,
    introspection: options.introspection,
    hideSchemaDetailsFromClientErrors: !options.introspection,
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    parseOptions: { maxTokens: 10_000 },
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
      explorer(options.explorerToken ?? 'ACCESS_TOKEN'),
      refuseUnreadable,
      requestErrorStatus,
      redactErrors,
      logBugs(log),
    ],
  });
  await apollo.start();

  const { app, drain } = await createServer({
    apollo,
    corsOrigins: options.corsOrigins,
    log,
    operationTimeoutMs: options.operationTimeoutMs,
    createContext: ({ id, headers }, signal) => {
      const token = toBearerToken(headers.authorization);
      return {
        ...createContext(client.forCaller({ token, signal }), contextOptions),
        requestId: id,
        redact: createRedactor(token),
      };
    },
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

function toUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('not listening');
  const { address: host, port, family } = address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}
