import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { costPlugin } from '../cost/check.ts';
import { MAX_TOKENS, refuseBySize } from '../document/limits.ts';
import type { Manifest } from '../document/manifest.ts';
import { judgeDocuments } from '../document/prepare.ts';
import { persistTrusted, trustOnly } from '../document/trusted.ts';
import { listCost } from '../paging/cost.ts';
import type { ContextOptions } from '../resolvers/context.ts';
import { createSchema, nameFields } from '../resolvers/schema.ts';
import { tellCalls } from './calls.ts';
import type { OperationContext } from './context.ts';
import { formatError } from './errors.ts';
import { explorer } from './explorer.ts';
import { watchOperations } from './report.ts';
import { redactErrors, refuseUnreadable, requestErrorStatus } from './respond.ts';
import { logTrouble } from './trouble.ts';

export interface ApolloOptions {
  readonly contextOptions: ContextOptions;
  /** The documents that alone may run; null: any may. */
  readonly trusted: Manifest | null;
  /** Filled into the explorer. */
  readonly explorerToken: string;
  readonly log: Logger;
}

/** What takes an operation from its text to its answer: limits, price, execution, errors. */
export function createApollo(
  { introspection, maxRestCalls, restDebug }: Config,
  { contextOptions, trusted, explorerToken, log }: ApolloOptions,
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
      explorer(explorerToken),
      refuseUnreadable,
      judgeDocuments(
        trusted === null ? [refuseBySize] : [trustOnly(trusted), refuseBySize],
      ),
      costPlugin({
        maxCalls: maxRestCalls,
        maxPageSize: contextOptions.bounds.maxPageSize,
        listCost: (args) => listCost(args, contextOptions),
      }),
      tellCalls,
      requestErrorStatus,
      redactErrors,
      logTrouble(log),
      watchOperations,
    ],
  });
}
