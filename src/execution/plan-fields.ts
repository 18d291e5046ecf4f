import {
  defaultFieldResolver,
  type FieldNode,
  GraphQLBoolean,
  type GraphQLField,
  GraphQLID,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
  getNullableType,
  isLeafType,
  isNonNullType,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { Selection } from '../document/selection.ts';
import { completerOf } from './complete.ts';
import type { PlannedField, PlannedObject } from './run.ts';
import { LEAST_BYTES, roughSizeOfText } from './size.ts';

/** Plans the selected fields of objects of one type. What is selected below them is planned when it is first executed. */
export function planObject(
  selection: Selection,
  selectionSets: readonly SelectionSetNode[],
  type: GraphQLObjectType,
): PlannedObject {
  const fields: PlannedField[] = [];
  let nameBytes = LEAST_BYTES;
  for (const [key, nodes] of selection.collect(selectionSets, type)) {
    const [first] = nodes;
    const definition = first && definitionOf(type, first);
    // The schema has every field of a validated document.
    if (definition === undefined) continue;
    nameBytes += roughSizeOfText(key);
    fields.push(planField(selection, { key, nodes, definition, type }));
  }
  const hasProto = fields.some(({ key }) => key === '__proto__');
  return { fields, nameBytes, hasProto };
}

const definitionOf = (
  type: GraphQLObjectType,
  { name }: FieldNode,
): GraphQLField<unknown, unknown> | undefined =>
  name.value === TypeNameMetaFieldDef.name
    ? TypeNameMetaFieldDef
    : type.getFields()[name.value];

interface FieldOptions {
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly definition: GraphQLField<unknown, unknown>;
  readonly type: GraphQLObjectType;
}

function planField(
  selection: Selection,
  { key, nodes, definition, type }: FieldOptions,
): PlannedField {
  const resolve = resolverOf(definition);
  const below = new Map<GraphQLObjectType, PlannedObject>();
  return {
    key,
    nodes,
    parentType: type,
    definition,
    typeName: definition === TypeNameMetaFieldDef ? type.name : null,
    passes: passes(definition.type),
    resolve,
    complete: completerOf(definition.type),
    isNonNull: isNonNullType(definition.type),
    needsPath: !isLeafType(getNullableType(definition.type)),
    objectOf(valueType) {
      const known = below.get(valueType);
      if (known !== undefined) return known;
      const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      const planned = planObject(selection, sets, valueType);
      below.set(valueType, planned);
      return planned;
    },
  };
}

/** The resolver as it was written, without what graphql's execution needs around it; null if there is none. */
function resolverOf({
  resolve = defaultFieldResolver,
  extensions,
}: GraphQLField<unknown, unknown>): PlannedField['resolve'] {
  if (resolve === defaultFieldResolver) return null;
  return (extensions.resolve as PlannedField['resolve']) ?? resolve;
}

/** Most values of an answer are texts that its scalars leave as they are. */
function passes(type: GraphQLOutputType): 'string' | 'boolean' | null {
  const inner = getNullableType(type);
  if (inner === GraphQLString || inner === GraphQLID) return 'string';
  return inner === GraphQLBoolean ? 'boolean' : null;
}
