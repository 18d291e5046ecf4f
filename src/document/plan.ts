import { type GraphQLSchema, Kind, type OperationDefinitionNode } from 'graphql';
import type { PlannedArguments } from './arguments.ts';
import type { Prepared } from './prepare.ts';
import { createSelection, type Fragments, type Selection } from './selection.ts';
import { createVariableReader } from './variables.ts';

export type Plan = ReturnType<typeof createPlan>;

/** Of the combinations of `@skip` and `@include`, the last ones used are kept. */
const MAX_COMBINATIONS = 16;
/** Fewer are kept if they would have more selections than this together. One is always kept. */
const MAX_KEPT = 20_000;

/**
 * One operation of a prepared document, with everything that is the same for all its requests, so that the requests of all
 * callers share it. It depends on the document and on Booleans alone: it keeps no other value that a client has sent. Each
 * part is computed when it is first needed.
 */
export function createPlan(
  schema: GraphQLSchema,
  prepared: Prepared,
  operation: OperationDefinitionNode,
  hideSuggestions = false,
) {
  const { fragments, selections: each } = prepared;
  const conditions = readConditions(operation, fragments);
  const most = Math.max(1, Math.min(MAX_COMBINATIONS, Math.floor(MAX_KEPT / each)));
  /** By the bits of the conditions, the last used at the end. */
  const selections = new Map<number, Selection>();

  function keep(bits: number, selection: Selection): Selection {
    selections.delete(bits);
    const [oldest] = selections.keys();
    if (oldest !== undefined && selections.size >= most) selections.delete(oldest);
    selections.set(bits, selection);
    return selection;
  }

  return {
    prepared,
    operation,
    plannedArguments: new Map() as PlannedArguments,
    readVariables: createVariableReader(
      schema,
      operation.variableDefinitions ?? [],
      hideSuggestions,
    ),
    /** What the operation selects: equal for all requests whose variables agree in its own `@skip` and `@include`. */
    selectionFor(variableValues: Record<string, unknown>): Selection {
      const bits = toBits(conditions, variableValues);
      const known = bits === null ? undefined : selections.get(bits);
      if (known !== undefined && selections.size === 1) return known;
      const selection =
        known ??
        createSelection({
          schema,
          fragments,
          variableValues: pick(variableValues, conditions),
        });
      return bits === null ? selection : keep(bits, selection);
    },
    /** How many selections it keeps, counted for each combination of conditions. */
    countKept: (): number => selections.size * each,
  };
}

/** A token or a selection of a plan takes up to this much. Unit: bytes. */
const BYTES_PER_PART = 1024;

/** The most memory of a plan that keeps `selections`. Unit: bytes. */
export const memoryOf = ({ tokens, characters }: Prepared, selections: number): number =>
  (tokens + selections) * BYTES_PER_PART + characters * 2;

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

/** The variables by which `@skip` and `@include` decide what one operation selects, also in the fragments that it spreads. */
function readConditions(
  { selectionSet }: OperationDefinitionNode,
  fragments: Fragments,
): readonly string[] {
  const names = new Set<string>();
  // Iterating over a set also reaches what is added meanwhile.
  const sets = new Set([selectionSet]);
  for (const { selections } of sets) {
    for (const selection of selections) {
      // A valid document has no other directives at its selections.
      for (const { arguments: given = [] } of selection.directives ?? [])
        for (const { value } of given)
          if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      const below =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? fragments[selection.name.value]
          : selection;
      if (below?.selectionSet !== undefined) sets.add(below.selectionSet);
    }
  }
  return [...names];
}

/** A plan keeps no selections for an operation with more conditions, because their bits must fit into one number. */
const MAX_BITS = 30;

/**
 * The values of conditions as one bit each. Null if there are too many, or if one is no Boolean: then the operation is
 * refused, and the plan must keep no value of its request.
 */
function toBits(
  names: readonly string[],
  values: Readonly<Record<string, unknown>>,
): number | null {
  if (names.length > MAX_BITS) return null;
  let bits = 0;
  for (const name of names) {
    const value = values[name];
    if (typeof value !== 'boolean') return null;
    bits = bits * 2 + Number(value);
  }
  return bits;
}
