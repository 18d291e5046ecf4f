import type { GraphQLSchema } from 'graphql';
import type { Checked } from '../cost/check.ts';
import { executePlanned } from '../execution/execute.ts';
import { SMALL_BYTES } from '../rest/bytes.ts';
import { turnForLongWork } from '../rest/event-loop.ts';
import { turnOf } from '../rest/thread.ts';
import { fitAnswer } from './answer-size.ts';
import type { OperationContext } from './context.ts';
import type { Outcome } from './respond.ts';

/**
 * Executes operations that were checked. What makes the answer longer than `maxAnswerBytes` is null, with an error.
 * `rootValue`: the event for which a subscription is executed.
 */
export const createExecutor =
  (schema: GraphQLSchema, maxAnswerBytes: number) =>
  async (
    checked: Checked,
    contextValue: OperationContext,
    rootValue: unknown,
  ): Promise<Outcome> => {
    const { plan, variableValues, selection, argumentsOf } = checked;
    const result = await executePlanned({
      schema,
      operation: plan.operation,
      fragments: plan.prepared.fragments,
      selection,
      variableValues,
      argumentsOf,
      rootValue,
      contextValue,
      fieldErrors: contextValue.fieldErrors,
      turn: () => turnOf(contextValue.caller),
      maxBytes: maxAnswerBytes,
    });
    if (contextValue.meter.received > SMALL_BYTES) await turnForLongWork();
    return fitAnswer(result, checked, { schema, maxAnswerBytes });
  };
