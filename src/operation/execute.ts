import type { GraphQLError, GraphQLSchema } from 'graphql';
import type { Checked } from '../cost/check.ts';
import { executePlanned } from '../execution/execute.ts';
import { SMALL_BYTES } from '../rest/bytes.ts';
import { turnForLongWork } from '../rest/event-loop.ts';
import { turnOf } from '../rest/thread.ts';
import { fitAnswer, type Result } from './answer-size.ts';
import type { OperationContext } from './context.ts';

declare const executed: unique symbol;

/** The result of an operation. Only execution makes one. */
export interface Executed {
  readonly [executed]: true;
  /** Undefined if the variables were invalid: then nothing was executed. */
  readonly data: Result['data'] | undefined;
  readonly errors: readonly GraphQLError[];
}

/**
 * Executes operations that were checked. What makes the answer longer than `maxAnswerBytes` is null, with an error.
 * `rootValue`: the event for which a subscription is executed.
 */
export const createExecute =
  (schema: GraphQLSchema, maxAnswerBytes: number) =>
  async (
    checked: Checked,
    contextValue: OperationContext,
    rootValue?: unknown,
  ): Promise<Executed> => {
    const { plan, request, variableErrors } = checked;
    if (request === null)
      return { data: undefined, errors: variableErrors } as unknown as Executed;
    const { operation, prepared } = plan;
    const { fragments } = prepared;
    const result = await executePlanned({
      schema,
      operation,
      fragments,
      rootValue,
      contextValue,
      fieldErrors: contextValue.fieldErrors,
      turn: () => turnOf(contextValue.caller),
      maxBytes: maxAnswerBytes,
      selection: request.selection,
      variableValues: request.variableValues,
      argumentsOf: request.argumentsOf,
    });
    if (contextValue.meter.received > SMALL_BYTES) await turnForLongWork();
    const fitting = fitAnswer(result, checked, { schema, maxAnswerBytes });
    return fitting as Executed | Promise<Executed>;
  };
