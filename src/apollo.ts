import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { ContextOptions } from './context.ts';
import { formatError } from './errors.ts';
import { MAX_TOKENS, refuseBySize } from './http/document-bounds.ts';
import { judgeDocuments } from './http/documents.ts';
import { explorer } from './http/explorer.ts';
import { tellCalls } from './http/journal.ts';
import { logTrouble } from './http/log.ts';
import type { OperationContext } from './http/operation.ts';
import { redactErrors, refuseUnreadable, requestErrorStatus } from './http/plugins.ts';
import { priceOperations } from './http/price.ts';
import { persistTrusted, trustOnly } from './http/trusted-documents.ts';
import { watchOperations } from './http/watch.ts';
import type { Manifest } from './manifest.ts';
import { priceList } from './paging/price.ts';
import { createSchema, nameFields } from './schema.ts';

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
