import {
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import type { Checked } from '../cost/check.ts';
import { SMALL_BYTES } from '../rest/bytes.ts';
import { turn } from '../rest/event-loop.ts';
import { fitAnswer } from './answer-size.ts';
import type { OperationContext } from './context.ts';

declare const executed: unique symbol;

/** The result of an operation. Only execution makes one. */
export interface Executed {
  readonly [executed]: true;
  /** Undefined if the variables were invalid: then nothing was executed. */
  readonly data: ExecutionResult['data'];
  readonly errors: readonly GraphQLError[];
}

/** Executes operations that were checked. What makes the answer longer than `maxAnswerBytes` is null, with an error. */
export const createExecute =
  (schema: GraphQLSchema, maxAnswerBytes: number) =>
  async (checked: Checked, contextValue: OperationContext): Promise<Executed> => {
    const { document, operation, variables, variableErrors } = checked;
    if (variableErrors.length > 0)
      return { data: undefined, errors: variableErrors } as unknown as Executed;
    const { data, errors = [] } = await execute({
      schema,
      document,
      contextValue,
      operationName: operation.name?.value,
      variableValues: variables,
    });
    if (contextValue.meter.received > SMALL_BYTES) await turn();
    const fitting = fitAnswer({ data, errors }, checked, { schema, maxAnswerBytes });
    return (await fitting) as Executed;
  };
