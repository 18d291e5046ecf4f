import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Logger } from 'pino';
import type { ByteQuota } from '../callers/shares.ts';
import { turnOf } from '../callers/thread.ts';
import { createCheck } from '../cost/check.ts';
import { toExplanation } from '../cost/explanation.ts';
import { createPlan } from '../document/plan.ts';
import { createPrepare, isRefused, type Prepared } from '../document/prepare.ts';
import { refusal } from '../document/refusal.ts';
import type { TrustedDocuments } from '../document/trusted.ts';
import { createValidate } from '../document/validate.ts';
import { type PageOptions, requestPage } from '../paging/cost.ts';
import type { OperationContext } from './context.ts';
import { createExecutor } from './execute.ts';
import type { createFieldCounts } from './field-counts.ts';
import { report } from './report.ts';
import type { PlannedRequest } from './request.ts';
import {
  type Answered,
  type AnsweredRequest,
  isRequested,
  type OperationOutcome,
  respond,
  toFailure,
  toRefused,
} from './respond.ts';
import { createStartSubscription } from './start-subscription.ts';

export type Pipeline = ReturnType<typeof createPipeline>;

export interface PipelineOptions {
  readonly schema: GraphQLSchema;
  /** Whether clients may read the schema. */
  readonly introspection: boolean;
  readonly paging: PageOptions;
  /** REST calls that an operation may make. */
  readonly maxCalls: number;
  /** How long an answer may be. Unit: bytes. */
  readonly maxAnswerBytes: number;
  /** How much open subscriptions may keep of their requests. */
  readonly subscriptionBytes: ByteQuota;
  /** The documents that may run; null: any document may. */
  readonly trusted: TrustedDocuments | null;
  /** See ClientOptions. */
  readonly exactField: string;
  readonly log: Logger;
  /** Counts the fields of what was executed; null: nothing is counted. */
  readonly countFields: ReturnType<typeof createFieldCounts>['count'] | null;
}

/**
 * The stages of one operation. Before them, Apollo Server parses the document, up to MAX_TOKENS. It also answers requests
 * without an operation, such as malformed bodies.
 */
export function createPipeline(options: PipelineOptions) {
  const { schema, introspection, paging, maxCalls, trusted, exactField, log } = options;
  const check = createCheck({
    schema,
    maxCalls,
    maxPageSize: paging.bounds.maxPageSize,
    requestPage: (args, size) => requestPage(args, paging, size),
  });
  const execute = createExecutor(options);
  const startSubscription = createStartSubscription(schema, options.subscriptionBytes);

  /** Makes the answer, also where an operation was refused, and reports it to log, metrics and trace. */
  function answer(
    outcome: OperationOutcome,
    request: AnsweredRequest,
    context: OperationContext,
  ): Answered {
    const answered = respond(outcome, request, context, maxCalls);
    report(request.operation, outcome.errors, answered.result, { context, log });
    return answered;
  }

  return {
    /**
     * For each request whose plan is not kept, such as the first two of a document, or a GET: is the document trusted, small
     * enough and valid?
     */
    prepare: createPrepare(trusted, createValidate(schema, introspection), exactField),
    /** For the same requests: works out what is the same for all requests of the operation, so that the plan can be kept. */
    plan: (prepared: Prepared, operation: OperationDefinitionNode) =>
      createPlan(schema, prepared, operation, !introspection),
    /**
     * Runs each request: checks what it may cost, executes it, and answers. A subscription is started: then its stream is in
     * the context, and the answer is empty. It is executed once for each `event`, in a context of its own.
     */
    async run(
      { plan, variables, extensions }: PlannedRequest,
      context: OperationContext,
      event?: unknown,
    ): Promise<Answered> {
      const { operation, prepared } = plan;
      context.send.readsExactly = prepared.namesExactField;
      if (event === undefined) context.observer.untrusted = prepared.untrusted;
      let outcome: OperationOutcome;
      try {
        const checked = context.request.accepts.any
          ? check(plan, variables, context)
          : [notAcceptable()];
        const turn = turnOf(context.caller);
        if (turn !== undefined) await turn;
        if (isRefused(checked)) outcome = toRefused(checked);
        else if (isRequested('explain', context.request, extensions))
          outcome = {
            errors: [],
            explanation: toExplanation(checked.price.calls, maxCalls),
          };
        else if (operation.operation === 'subscription' && event === undefined)
          outcome = await startSubscription(checked, extensions, context);
        else {
          outcome = await execute(checked, context, event);
          options.countFields?.(checked, outcome.errors);
        }
      } catch (error) {
        outcome = toFailure(error);
      }
      const turn = turnOf(context.caller);
      if (turn !== undefined) await turn;
      return answer(outcome, { operation, extensions }, context);
    },
    answer,
  };
}

/** The error for a client that cannot read any answer; its operation is not executed. */
const notAcceptable = () =>
  refusal('BAD_REQUEST', 'The Accept header must allow application/json.', {
    status: 406,
  });
