import { execute, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Checked, ReadRequest } from '../cost/check.ts';
import { executePlanned } from '../execution/execute.ts';
import { roughSize } from '../execution/size.ts';
import { SMALL_BYTES } from '../rest/bytes.ts';
import { turn } from '../rest/event-loop.ts';
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

/** Executes operations that were checked. What makes the answer longer than `maxAnswerBytes` is null, with an error. */
export function createExecute(schema: GraphQLSchema, maxAnswerBytes: number) {
  /** Introspection reads the whole schema for one operation, and is left to graphql with all that stands beside it. */
  async function introspect(
    { plan, variables }: Checked,
    contextValue: OperationContext,
  ): Promise<Result> {
    const { data = null, errors = [] } = await execute({
      schema,
      document: plan.prepared.document,
      contextValue,
      operationName: plan.operation.name?.value,
      variableValues: variables,
    });
    return { data, errors, size: roughSize(data, maxAnswerBytes) };
  }

  return async (checked: Checked, contextValue: OperationContext): Promise<Executed> => {
    const { plan, request, variableErrors } = checked;
    if (request === null)
      return { data: undefined, errors: variableErrors } as unknown as Executed;
    const { operation, prepared } = plan;
    const { fragments } = prepared;
    const result = asksForSchema(checked, request)
      ? await introspect(checked, contextValue)
      : await executePlanned({
          schema,
          operation,
          fragments,
          contextValue,
          admitError: contextValue.fieldErrors.admit,
          maxBytes: maxAnswerBytes,
          selection: request.selection,
          variableValues: request.variableValues,
          argumentsOf: request.argumentsOf,
        });
    if (contextValue.meter.received > SMALL_BYTES) await turn();
    const fitting = await fitAnswer(result, checked, { schema, maxAnswerBytes });
    return fitting as Executed;
  };
}

const asksForSchema = ({ plan }: Checked, { selection }: ReadRequest): boolean =>
  selection
    .fieldsOf(plan.operation.selectionSet)
    .some(({ name }) => name.value === '__schema' || name.value === '__type');
