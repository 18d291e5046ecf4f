import {
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import type { Checked } from '../cost/check.ts';
import type { OperationContext } from './context.ts';

declare const executed: unique symbol;

/** The result of an operation. Only execution makes one. */
export interface Executed {
  readonly [executed]: true;
  /** Undefined if the variables did not fit: then nothing was executed. */
  readonly data: ExecutionResult['data'];
  readonly errors: readonly GraphQLError[];
}

/** Executes operations that were checked. */
export const createExecute =
  (schema: GraphQLSchema) =>
  async (
    { document, operation, variables, variableErrors }: Checked,
    contextValue: OperationContext,
  ): Promise<Executed> => {
    if (variableErrors.length > 0)
      return { data: undefined, errors: variableErrors } as unknown as Executed;
    const { data, errors = [] } = await execute({
      schema,
      document,
      contextValue,
      operationName: operation.name?.value,
      variableValues: variables,
    });
    return { data, errors } as Executed;
  };
