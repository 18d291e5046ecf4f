import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { PlannedArguments } from './arguments.ts';
import type { Prepared } from './prepare.ts';
import { createSelection, type Selection } from './selection.ts';
import { createVariableReader, type ReadVariables } from './variables.ts';

declare const planned: unique symbol;

/**
 * One operation of a prepared document, with everything that is the same for all its requests, so that requests can share
 * it. Each part is computed when it is first needed. Only `createPlan` makes one.
 */
export interface Plan {
  readonly [planned]: true;
  readonly prepared: Prepared;
  readonly operation: OperationDefinitionNode;
  readonly readVariables: ReadVariables;
  readonly plannedArguments: PlannedArguments;
  /** What the operation selects: equal for all requests whose variables agree in `@skip` and `@include`. */
  selectionFor(variableValues: Record<string, unknown>): Selection;
  /** How many selections it keeps, counted for each combination of conditions. They take up to a kilobyte each. */
  countKept(): number;
}

/** Further combinations of `@skip` and `@include` are not kept: their selections are computed for each request. */
const MAX_COMBINATIONS = 16;
/** Nor are combinations that would have more selections than this together. One combination is always kept. */
const MAX_KEPT = 20_000;

export function createPlan(
  schema: GraphQLSchema,
  prepared: Prepared,
  operation: OperationDefinitionNode,
): Plan {
  const { fragments, conditions, selections: each } = prepared;
  const selections = new Map<string, Selection>();
  const mayKeep = () =>
    selections.size === 0 ||
    (selections.size < MAX_COMBINATIONS && (selections.size + 1) * each <= MAX_KEPT);
  const plan: Omit<Plan, typeof planned> = {
    prepared,
    operation,
    plannedArguments: new Map(),
    readVariables: createVariableReader(schema, operation.variableDefinitions ?? []),
    selectionFor(variableValues) {
      const key = conditions.map((name) => String(variableValues[name])).join();
      const known = selections.get(key);
      if (known !== undefined) return known;
      // Without the other variables of this request: they may be long, and would be kept with the plan.
      const decisive = pick(variableValues, conditions);
      const selection = createSelection({
        schema,
        fragments,
        variableValues: decisive,
      });
      if (mayKeep()) selections.set(key, selection);
      return selection;
    },
    countKept: () => selections.size * each,
  };
  return plan as Plan;
}

function pick(
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const picked: Record<string, unknown> = Object.create(null);
  for (const name of names) {
    if (Object.hasOwn(values, name)) picked[name] = values[name];
  }
  return picked;
}
