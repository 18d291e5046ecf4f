import type { DocumentNode } from 'graphql';
import { GraphQLError, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import type { Logger } from 'pino';
import { type Checked, createCheck } from '../cost/check.ts';
import { createPlan, type Plan } from '../document/plan.ts';
import { createPrepare, type Prepared, type Refusals } from '../document/prepare.ts';
import type { Manifest } from '../document/trusted.ts';
import { createValidate } from '../document/validate.ts';
import { type PageOptions, requestPage } from '../paging/cost.ts';
import { createBegin } from './begin.ts';
import type { OperationContext } from './context.ts';
import { createExecute, type Executed } from './execute.ts';
import { type Reported, report } from './report.ts';
import { type Refused, type Responded, respond } from './respond.ts';
import { createSubscriptionRoom } from './subscription-room.ts';

/**
 * The stages of one operation, in their order. Each takes what only the stage before it can make, and only a reported
 * operation makes an OperationResponse, so a way of executing operations that skips a stage does not compile.
 *
 *     prepare   document                    -> Prepared    once for each document: trust, size, validation
 *     plan      Prepared                    -> Plan        one operation, with what is the same for all its requests
 *     check     Plan, variables             -> Checked     priced before the first call; throws if it is refused
 *     execute   Checked                     -> Executed
 *     respond   Executed, or why it was not -> Responded   errors as clients see them, extensions, status
 *     report    Responded                   -> Reported    log, metrics, trace
 *
 * Apollo Server parses the document before that, up to MAX_TOKENS. It also answers requests without an operation, such as
 * malformed bodies.
 */
export interface Pipeline {
  prepare(document: DocumentNode, name: string): Prepared | Refusals;
  plan(prepared: Prepared, operation: OperationDefinitionNode): Plan;
  check(plan: Plan, variables: Variables, context: OperationContext): Checked;
  /** A subscription is begun: then its stream is in the context, and the result is empty. */
  execute(checked: Checked, context: OperationContext): Promise<Executed>;
  /** Executes a subscription for one event, in a context of its own. */
  executeEvent(
    checked: Checked,
    context: OperationContext,
    event: unknown,
  ): Promise<Executed>;
  respond(
    outcome: Executed | Refused,
    context: OperationContext,
    request: AnsweredRequest,
  ): Responded;
  report(responded: Responded, context: OperationContext): Reported;
}

/** As the client sent them. */
type Variables = Readonly<Record<string, unknown>>;

/** The parts of a request, besides its outcome, that the answer depends on. */
interface AnsweredRequest {
  /** Undefined if the document could not be read, or has no operation of the requested name. */
  readonly operation: OperationDefinitionNode | undefined;
  /** `extensions` beside `query`. */
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

export interface PipelineOptions {
  readonly schema: GraphQLSchema;
  /** Whether clients may read the schema. */
  readonly introspection: boolean;
  readonly paging: PageOptions;
  /** REST calls that an operation may make. */
  readonly maxCalls: number;
  /** How long an answer may be. Unit: bytes. */
  readonly maxAnswerBytes: number;
  /** What open subscriptions may keep of their requests. Unit: bytes. */
  readonly subscriptionBytes: { readonly inAll: number; readonly oneCaller: number };
  /** The documents that may run; null: any document may. */
  readonly trusted: Manifest | null;
  readonly log: Logger;
}

export function createPipeline({
  schema,
  introspection,
  paging,
  maxCalls,
  maxAnswerBytes,
  subscriptionBytes,
  trusted,
  log,
}: PipelineOptions): Pipeline {
  const executeNow = createExecute(schema, maxAnswerBytes);
  const begin = createBegin(schema, createSubscriptionRoom(subscriptionBytes));
  const check = createCheck({
    schema,
    maxCalls,
    maxPageSize: paging.bounds.maxPageSize,
    requestPage: (args) => requestPage(args, paging),
  });
  return {
    prepare: createPrepare({
      trusted,
      validate: createValidate({ schema, introspection }),
    }),
    plan: (prepared, operation) => createPlan(schema, prepared, operation),
    check(plan, variables, context) {
      if (!context.accepts.any) throw notAcceptable();
      return check({ plan, variables }, context);
    },
    execute: (checked, context) =>
      checked.plan.operation.operation === 'subscription'
        ? begin(checked, context)
        : executeNow(checked, context),
    executeEvent: executeNow,
    respond: (outcome, context, { operation, extensions = {} }) =>
      respond(outcome, operation, context, {
        requested: extensions,
        maxCalls,
        hidesSchema: !introspection,
      }),
    report: (responded, context) => report(responded, context, log),
  };
}

/** The error for a client that cannot read any answer; its operation is not executed. */
const notAcceptable = () =>
  new GraphQLError('The Accept header must allow application/json.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 406 } },
  });
