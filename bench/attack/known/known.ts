/** Requests that once stopped the gateway, or might have, as GraphQL. */
import {
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { Genome, Selection, Service, Transport, Value } from '../genome/genome.ts';
import { ALONE, PLAIN_SERVICE, PLAIN_TRANSPORT } from '../genome/plain.ts';
import { list, raw, text } from '../genome/value.ts';

interface Parts {
  readonly variables?: Record<string, readonly [type: string, value: Value]>;
  readonly padding?: readonly [padding: string, paddings: number];
  readonly transport?: Partial<Transport>;
  readonly service?: Partial<Service>;
  readonly sequence?: Partial<Pick<Genome, keyof typeof ALONE>>;
}

/**
 * A request whose operation is written as GraphQL, with two additions: `@times(n: 900)` repeats a selection under aliases, and
 * `@inFragments(n: 1)` puts what it selects into so many fragments. The words in WORDS stand for values.
 */
export function known(
  name: string,
  operation: string,
  { variables = {}, padding = ['', 0], transport, service, sequence }: Parts = {},
): Genome {
  const [definition] = parse(operation).definitions as OperationDefinitionNode[];
  if (definition === undefined) throw new Error(`${name} has no operation`);
  return {
    name,
    type: definition.operation === 'mutation' ? 'mutation' : 'query',
    selections: toSelections(definition.selectionSet),
    variables: Object.fromEntries(
      Object.entries(variables).map(([key, [type, value]]) => [
        key,
        { type, value, isDefault: false },
      ]),
    ),
    padding: padding[0],
    paddings: padding[1],
    operations: 0,
    ...ALONE,
    ...sequence,
    extensions: null,
    transport: { ...PLAIN_TRANSPORT, ...transport },
    service: { ...PLAIN_SERVICE, ...service },
  };
}

/** What enum values stand for. */
const WORDS: Readonly<Record<string, Value>> = {
  EACH_OTHER: text('x', 1, true),
  PARENT_FOLDERS: text('../', 1217),
  FAR_CURSOR: { kind: 'cursor', position: 999_999_999, list: '/v1/messages' },
};

const toSelections = (set: SelectionSetNode | undefined): Selection[] =>
  (set?.selections ?? []).map((node) => toSelection(node));

function toSelection(node: SelectionNode): Selection {
  if (node.kind === Kind.FRAGMENT_SPREAD) throw new Error('fragments have no names here');
  const count = (name: string): number | undefined => {
    const found = node.directives?.find((directive) => directive.name.value === name);
    const [argument] = found?.arguments ?? [];
    return argument && Number(print(argument.value));
  };
  const directives = (node.directives ?? []).filter(
    ({ name }) => !['times', 'inFragments'].includes(name.value),
  );
  const times = count('times') ?? 1;
  const fragments = count('inFragments');
  const isField = node.kind === Kind.FIELD;
  return {
    field: isField ? node.name.value : `... on ${node.typeCondition?.name.value}`,
    args: isField ? toArguments(node) : {},
    repeat: times,
    aliasLength: times > 1 || (isField && node.alias !== undefined) ? 1 : 0,
    wrap: fragments === undefined ? 'nothing' : 'fragments',
    wraps: fragments ?? 0,
    directive: directives.map((directive) => print(directive)).join(' '),
    directiveCount: 1,
    below: toSelections(node.selectionSet),
  };
}

const toArguments = ({ arguments: given = [] }: FieldNode): Record<string, Value> =>
  Object.fromEntries(given.map(({ name, value }) => [name.value, toValue(value)]));

function toValue(node: ValueNode): Value {
  if (node.kind === Kind.VARIABLE) return { kind: 'variable', name: node.name.value };
  if (node.kind === Kind.OBJECT) {
    const fields = node.fields.map(({ name, value }) => [name.value, toValue(value)]);
    return { kind: 'fields', fields: Object.fromEntries(fields) };
  }
  const [first] = node.kind === Kind.LIST ? node.values : [];
  if (first !== undefined) return list(toValue(first), 1);
  return (node.kind === Kind.ENUM && WORDS[node.value]) || raw(print(node));
}

/** An object whose keys are large numbers, which engines keep apart from other keys. */
export const numberKeys = (keys: number, of = raw('0')): Value => ({
  kind: 'object',
  of,
  keys,
  keyLength: 1,
  firstKey: 1_000_000_000,
});

/** Reactions: one object with this many names, each with these usernames. */
export const reactions = (names: number, usernames: Value): Value =>
  list({ kind: 'object', of: usernames, keys: names, keyLength: 1 }, 1);
