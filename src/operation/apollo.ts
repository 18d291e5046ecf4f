import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { type DocumentNode, GraphQLError, Kind } from 'graphql';
import { turnOf } from '../callers/thread.ts';
import { MAX_TOKENS } from '../document/limits.ts';
import { isRefused, type Prepared } from '../document/prepare.ts';
import { refusal } from '../document/refusal.ts';
import type { TrustedDocuments } from '../document/trusted.ts';
import {
  letStreamBeGot,
  takeAwayLongText,
  takeHashAsText,
  takeTextAlone,
  toApolloRequest,
} from './apollo-request.ts';
import type { OperationContext } from './context.ts';
import { toClientError } from './errors.ts';
import { type Explorer, type ExplorerOperation, explorerPage } from './explorer-page.ts';
import type { Pipeline, PipelineOptions } from './pipeline.ts';
import type { PlanMemory } from './plan-memory.ts';
import { reportBug } from './report.ts';
import type { OperationRequest, OperationResponse, PlannedRequest } from './request.ts';
import { toRefused, toResultText } from './respond.ts';

/** The texts of persisted operations by their hash. */
interface PersistedOperations {
  get(hash: string): Promise<string | undefined>;
  set(hash: string, text: string): void;
}

export interface ApolloOptions
  extends Pick<PipelineOptions, 'schema' | 'trusted' | 'log'> {
  /** The operations that clients have registered, if any document may run. */
  readonly persisted: PersistedOperations;
  readonly explorer: Explorer;
  /** What the explorer opens with, and the token that it sends with it. */
  readonly explorerOperations: readonly ExplorerOperation[];
  readonly explorerToken: string;
  /** Receives the plans of the operations that may run. */
  readonly memory: PlanMemory;
}

/** Starts Apollo Server, which parses documents, knows persisted operations, and refuses requests from other sites. */
export async function startApollo(pipeline: Pipeline, options: ApolloOptions) {
  const { schema, trusted, persisted, log } = options;
  const apollo = new ApolloServer<{ readonly wrapped: Wrapped }>({
    schema,
    formatError: (_formatted, error) =>
      toClientError(isCrossSiteRefusal(error) ? CROSS_SITE : error),
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    stringifyResult: toResultText,
    // Apollo need not keep documents: repeated operations have plans, and those sent once would take a hundred megabytes.
    documentStore: null,
    parseOptions: { maxTokens: MAX_TOKENS },
    // The pipeline validates each document right after it was parsed.
    dangerouslyDisableValidation: true,
    persistedQueries: { cache: toCache(trusted, persisted) },
    // A page of another site cannot send Authorization without a preflight request.
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
      // Cache control would make Apollo wrap every resolver, although every answer says no-store.
      ApolloServerPluginCacheControlDisabled(),
      // The same for the traces that a subgraph may add to its answers: Apollo does not execute the operations.
      ApolloServerPluginInlineTraceDisabled(),
      explorerPlugin(options),
      stages(pipeline, options),
    ],
  });
  await apollo.start();
  return {
    /** Returns the plan of the operation; for any other request, its answer. */
    async plan(
      request: OperationRequest,
      context: OperationContext,
    ): Promise<PlannedRequest | OperationResponse> {
      const wrapped: Wrapped = { context, planned: null };
      const answer = await apollo.executeHTTPGraphQLRequest({
        httpGraphQLRequest: toApolloRequest(request),
        context: async () => ({ wrapped }),
      });
      if (wrapped.planned !== null) return wrapped.planned;
      const { status = 200, headers, body } = answer;
      if (body.kind !== 'complete')
        throw new Error('Apollo sent an answer in parts, which is unexpected.');
      return { status, headers, body: body.string };
    },
    stop: () => apollo.stop(),
  };
}

/** Apollo looks up a persisted operation under its hash, or another name of a trusted document, with this prefix. */
const APOLLO_PREFIX = 'apq:';

const toName = (key: string): string => key.slice(APOLLO_PREFIX.length);

/** Persisted operations as Apollo asks for them. Clients can add to those that they have registered, not to the trusted ones. */
const toCache = (trusted: TrustedDocuments | null, registered: PersistedOperations) => ({
  get: async (key: string) =>
    trusted?.texts.get(toName(key)) ??
    (trusted?.enforces ? undefined : registered.get(toName(key))),
  async set(key: string, text: string) {
    if (!trusted?.enforces) registered.set(toName(key), text);
  },
  async delete() {},
});

/** Apollo copies the context that it is given. The plan is noted in an object inside it, which is not copied. */
interface Wrapped {
  readonly context: OperationContext;
  /** Set if the operation may run. */
  planned: PlannedRequest | null;
}

/** The first stages of the pipeline as a plugin. Apollo executes nothing: it gets an empty result for an operation that may run. */
function stages(
  pipeline: Pipeline,
  { log, memory }: Pick<ApolloOptions, 'log' | 'memory'>,
): ApolloServerPlugin<{ readonly wrapped: Wrapped }> {
  return {
    async requestDidStart({ request, contextValue: { wrapped } }) {
      const { context } = wrapped;
      takeHashAsText(request);
      takeTextAlone(request);
      let refused = takeAwayLongText(request);
      context.observer.start();
      let prepared: Prepared | null = null;
      return {
        async parsingDidStart(parsed: { document?: DocumentNode; queryHash: string }) {
          // In the turn of parsing: to wait for another would keep all tokens in memory meanwhile.
          return (failure) => {
            // graphql's parser is recursive, so thousands of nested levels overflow the stack.
            if (failure instanceof RangeError)
              failure.message = 'The document is nested too deeply to be parsed.';
            const { document, queryHash } = parsed;
            if (document === undefined) return DONE;
            const outcome = pipeline.prepare(document, queryHash);
            if (isRefused(outcome)) {
              refused = outcome;
              // Apollo goes on, and finds no operation.
              parsed.document = NO_DOCUMENT;
            } else {
              prepared = outcome;
              letStreamBeGot(request, prepared, context.request);
            }
            return DONE;
          };
        },
        async didResolveOperation({ operation, queryHash }) {
          const [refusal] = refused ?? [];
          if (refusal !== undefined) throw refusal;
          // Apollo makes the error for a name that the document does not have.
          if (prepared === null || operation === undefined) return;
          await turnOf(context.caller);
          const noRoom = context.hold(prepared);
          if (noRoom !== null) throw noRoom;
          const plan = pipeline.plan(prepared, operation);
          const { variables = {}, extensions = {} } = request;
          wrapped.planned = { plan, variables, extensions };
          if (queryHash !== undefined) memory.saw(request, queryHash, plan);
        },
        async responseForOperation() {
          if (wrapped.planned === null) return null;
          return {
            http: { headers: new HeaderMap() },
            body: { kind: 'single', singleResult: {} },
          };
        },
        async willSendResponse({ operation, errors = [], response }) {
          if (wrapped.planned !== null) return;
          const outcome =
            refused === null
              ? { errors, status: response.http.status }
              : toRefused(refused);
          const { extensions } = request;
          const answered = pipeline.answer(outcome, { operation, extensions }, context);
          const { status, retryAfterSeconds, result } = answered;
          response.http.status = status;
          if (retryAfterSeconds !== null) {
            response.http.headers.set('retry-after', String(retryAfterSeconds));
          }
          response.body = { kind: 'single', singleResult: result };
        },
      };
    },
    async unexpectedErrorProcessingRequest({ error, requestContext }) {
      reportBug(error, requestContext.contextValue.wrapped.context, log);
    },
  };
}

const DONE = Promise.resolve();

/** Stands for a document that is refused. */
const NO_DOCUMENT: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

/** The page for browsers that open /graphql. */
function explorerPlugin({
  explorer,
  explorerOperations,
  explorerToken,
}: ApolloOptions): ApolloServerPlugin {
  // Without this one, Apollo adds a page of its own.
  if (explorer === false) return ApolloServerPluginLandingPageDisabled();
  const html = explorerPage(explorer, explorerOperations, explorerToken);
  return {
    serverWillStart: async () => ({ renderLandingPage: async () => ({ html }) }),
  };
}

/** Recognizes Apollo's CSRF refusal by its text: it has no code of its own. */
const isCrossSiteRefusal = (error: unknown): boolean =>
  error instanceof GraphQLError && error.message.includes('Cross-Site Request Forgery');

const CROSS_SITE = refusal(
  'BAD_REQUEST',
  'A page of another site could have sent this request, so it needs one more header: send "Authorization: Bearer <ACCESS_TOKEN>" or, without a token, "Apollo-Require-Preflight: true".',
);
