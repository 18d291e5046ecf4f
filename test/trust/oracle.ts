import {
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { type OracleOptions, resolve } from './oracle-fields.ts';
import { type Arguments, CursorOf, type Thing, Trouble } from './oracle-values.ts';
import type { Operation } from './print-operation.ts';

/** What an operation must be answered; where a cursor stands in `data`, a CursorOf does. */
export interface Expected {
  readonly data: unknown;
  /** Codes by path, `messages.nodes.1`. */
  readonly codes: ReadonlyMap<string, string>;
  /** Every field that has been looked at, as `Type.field`. */
  readonly fields: ReadonlySet<string>;
}

interface Run {
  readonly options: OracleOptions;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: ReadonlyMap<string, unknown>;
  readonly codes: Map<string, string>;
  readonly fields: Set<string>;
}

/** Answers a valid query from the world: a second, plain implementation of execution, with nothing of the gateway's. */
export function expectAnswer(
  { query, variables }: Operation,
  options: OracleOptions,
): Expected {
  const { definitions } = parse(query);
  const operation = definitions.find(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (operation === undefined) throw new Error('no operation');
  const fragments = definitions
    .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
    .map((fragment) => [fragment.name.value, fragment] as const);
  const run: Run = {
    options,
    fragments: new Map(fragments),
    variables: readVariables(operation, variables),
    codes: new Map(),
    fields: new Set(),
  };
  const root: Thing = { type: 'Query', wire: {} };
  const data = complete(run, root, [operation.selectionSet], []);
  return { data, codes: run.codes, fields: run.fields };
}

/** Given ones, and defaults; one that is neither is not in the map. */
function readVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const { variable, defaultValue, type } of variableDefinitions) {
    const name = variable.name.value;
    if (name in given) values.set(name, asListIf(isList(type), given[name]));
    else if (defaultValue !== undefined) {
      values.set(name, asListIf(isList(type), toValue(defaultValue, new Map())));
    }
  }
  return values;
}

const isList = (type: { kind: string; type?: unknown }): boolean =>
  type.kind === Kind.LIST_TYPE ||
  (type.kind === Kind.NON_NULL_TYPE && isList(type.type as { kind: string }));

/** A single value where a list is due is a list of one. */
const asListIf = (wanted: boolean, value: unknown): unknown =>
  wanted && value !== null && !Array.isArray(value) ? [value] : value;

/** The answer's part for a value a field has. */
function complete(
  run: Run,
  value: unknown,
  sets: readonly SelectionSetNode[],
  path: readonly (string | number)[],
): unknown {
  if (value instanceof Trouble) {
    run.codes.set(path.join('.'), value.code);
    return null;
  }
  if (value === null || value instanceof CursorOf || sets.length === 0) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => complete(run, item, sets, [...path, index]));
  }
  const thing = value as Thing;
  const fields = new Map<string, FieldNode[]>();
  for (const set of sets) collect(run, thing.type, set, fields);
  const answer: Record<string, unknown> = Object.create(null);
  for (const [key, [field, ...twins]] of fields) {
    if (field === undefined) continue;
    answer[key] = completeField(run, thing, [field, ...twins], [...path, key]);
  }
  return answer;
}

function completeField(
  run: Run,
  thing: Thing,
  fields: readonly [FieldNode, ...FieldNode[]],
  path: readonly (string | number)[],
): unknown {
  const name = fields[0].name.value;
  if (name === '__typename') return thing.type;
  run.fields.add(`${thing.type}.${name}`);
  const value = resolve(run.options, thing, name, readArguments(run, fields[0]));
  const sets = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
  return complete(run, value, sets, path);
}

/** Fields by response name, in the order of the document, twins together. */
function collect(
  run: Run,
  type: string,
  { selections }: SelectionSetNode,
  into: Map<string, FieldNode[]>,
): void {
  for (const selection of selections.filter((each) => isWanted(run, each))) {
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      into.set(key, [...(into.get(key) ?? []), selection]);
      continue;
    }
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection
        : run.fragments.get(selection.name.value);
    const on = fragment?.typeCondition?.name.value ?? type;
    const fits = on === type || (on === 'Node' && isNode(type));
    if (fragment !== undefined && fits) collect(run, type, fragment.selectionSet, into);
  }
}

const isNode = (type: string) => type === 'Message' || type === 'Conversation';

const isWanted = (run: Run, { directives = [] }: SelectionNode): boolean =>
  directives.every(({ name, arguments: [argument] = [] }) => {
    const value = argument && toValue(argument.value, run.variables);
    return value === (name.value === 'include');
  });

function readArguments(run: Run, field: FieldNode): Arguments {
  const values: Record<string, unknown> = {};
  for (const { name, value } of field.arguments ?? []) {
    const isGiven = value.kind !== Kind.VARIABLE || run.variables.has(value.name.value);
    if (!isGiven) continue;
    const isPlural = name.value === 'nodeIds';
    values[name.value] = asListIf(isPlural, toValue(value, run.variables));
  }
  return values;
}

function toValue(node: ValueNode, variables: ReadonlyMap<string, unknown>): unknown {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables.get(node.name.value);
    case Kind.NULL:
      return null;
    case Kind.INT:
      return Number(node.value);
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.LIST:
      return node.values.map((value) => toValue(value, variables));
    default:
      throw new Error(`the oracle reads no ${node.kind}`);
  }
}
