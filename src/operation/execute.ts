import {
  type ExecutionResult,
  execute as executeGraphql,
  type GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import type { Checked } from '../cost/check.ts';
import type { OperationContext } from './context.ts';

declare const executed: unique symbol;

/** The result of an operation. Only `execute` makes one. */
export interface Executed {
  readonly [executed]: true;
  /** Undefined if the variables did not fit: then nothing was executed. */
  readonly data: ExecutionResult['data'];
  readonly errors: readonly GraphQLError[];
}

/** Executes an operation that was checked. */
export async function execute(
  { document, operation, variables }: Checked,
  schema: GraphQLSchema,
  contextValue: OperationContext,
): Promise<Executed> {
  const { data, errors = [] } = await executeGraphql({
    schema,
    document,
    contextValue,
    operationName: operation.name?.value,
    variableValues: variables,
  });
  return { data, errors } as Executed;
}
