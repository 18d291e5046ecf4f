import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInterfaceType,
  isObjectType,
  Kind,
  parse,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Operation } from '../arbitrary/print-operation.ts';
import { type OracleOptions, resolve } from './fields.ts';
import { readArguments, readVariables, toValue, type Variables } from './input.ts';
import { schema } from './schema.ts';
import { AnyCursor, FieldError, type OracleObject } from './values.ts';

/** The expected answer of an operation. */
export interface Expected {
  /** Holds an AnyCursor in place of each cursor. */
  readonly data: unknown;
  /** Error codes by path, `messages.nodes.1`. */
  readonly codes: ReadonlyMap<string, string>;
  /** Every field that was resolved, as `Type.field`. */
  readonly fields: ReadonlySet<string>;
}

interface Run {
  readonly options: OracleOptions;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Variables;
  readonly codes: Map<string, string>;
  readonly fields: Set<string>;
}

/**
 * Answers a valid operation from the world. This second, plain implementation of execution shares no code with the
 * gateway. It completes each field before it begins the next, so mutations run in order.
 */
export function expectedAnswer(
  { query, variables }: Operation,
  options: OracleOptions,
): Expected {
  const { definitions } = parse(query);
  const operation = definitions.find(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (operation === undefined) throw new Error('the document has no operation');
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
  const isMutation = operation.operation === 'mutation';
  const root: OracleObject = { type: isMutation ? 'Mutation' : 'Query', wire: {} };
  const data = complete(run, root, [operation.selectionSet], []);
  return { data, codes: run.codes, fields: run.fields };
}

/** Turns the value of a field into its part of the answer. */
function complete(
  run: Run,
  value: unknown,
  sets: readonly SelectionSetNode[],
  path: readonly (string | number)[],
): unknown {
  if (value instanceof FieldError) {
    run.codes.set(path.join('.'), value.code);
    return null;
  }
  if (value === null || value instanceof AnyCursor || sets.length === 0) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => complete(run, item, sets, [...path, index]));
  }
  const object = value as OracleObject;
  const fields = new Map<string, FieldNode[]>();
  for (const set of sets) collect(run, object.type, set, fields);
  const answer: Record<string, unknown> = Object.create(null);
  for (const [key, [field, ...others]] of fields) {
    if (field === undefined) continue;
    answer[key] = completeField(run, object, [field, ...others], [...path, key]);
  }
  return answer;
}

function completeField(
  run: Run,
  parent: OracleObject,
  fields: readonly [FieldNode, ...FieldNode[]],
  path: readonly (string | number)[],
): unknown {
  const name = fields[0].name.value;
  if (name === '__typename') return parent.type;
  run.fields.add(`${parent.type}.${name}`);
  const type = schema.getType(parent.type);
  const definition = isObjectType(type) ? type.getFields()[name] : undefined;
  const args = readArguments(definition?.args ?? [], fields[0], run.variables);
  const value = resolve(run.options, parent, name, args);
  const sets = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
  return complete(run, value, sets, path);
}

/** Groups fields by response name, in the order of the document. */
function collect(
  run: Run,
  type: string,
  { selections }: SelectionSetNode,
  into: Map<string, FieldNode[]>,
): void {
  for (const selection of selections.filter((each) => isIncluded(run, each))) {
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

const nodes = schema.getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType);
const isNode = (type: string) => nodes.some(({ name }) => name === type);

const isIncluded = (run: Run, { directives = [] }: SelectionNode): boolean =>
  directives.every(({ name, arguments: [argument] = [] }) => {
    const value = argument && toValue(argument.value, run.variables);
    return value === (name.value === 'include');
  });
