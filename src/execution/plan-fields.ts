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
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { Selection } from '../document/selection.ts';
import { shownSchemaOf } from '../document/shown-schema.ts';
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
    fields.push(planField(selection, { key, nodes, definition, parentType: type }));
  }
  const hasProto = fields.some(({ key }) => key === '__proto__');
  return { fields, nameBytes, hasProto };
}

/** The fields that the schema does not list. Validation lets the first two pass only at the root of queries. */
const META_FIELDS: readonly GraphQLField<unknown, unknown>[] = [
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
];

const definitionOf = (
  type: GraphQLObjectType,
  { name }: FieldNode,
): GraphQLField<unknown, unknown> | undefined =>
  type.getFields()[name.value] ?? META_FIELDS.find((meta) => meta.name === name.value);

function planField(
  selection: Selection,
  {
    key,
    nodes,
    definition,
    parentType,
  }: Pick<PlannedField, 'key' | 'nodes' | 'definition' | 'parentType'>,
): PlannedField {
  const below = new Map<GraphQLObjectType, PlannedObject>();
  return {
    key,
    nodes,
    parentType,
    definition,
    typeName: definition === TypeNameMetaFieldDef ? parentType.name : null,
    unchangedType: unchangedTypeOf(definition.type),
    resolve: resolverOf(definition),
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

function resolverOf(definition: GraphQLField<unknown, unknown>): PlannedField['resolve'] {
  const { resolve = defaultFieldResolver } = definition;
  if (resolve === defaultFieldResolver) return null;
  if (definition !== SchemaMetaFieldDef && definition !== TypeMetaFieldDef)
    return resolve;
  return (source, args, context, info) =>
    resolve(source, args, context, info.withSchema(shownSchemaOf(info.schema)));
}

/** The JavaScript type of the values that the type's scalar leaves unchanged: most values of an answer are such texts. */
function unchangedTypeOf(type: GraphQLOutputType): 'string' | 'boolean' | null {
  const inner = getNullableType(type);
  if (inner === GraphQLString || inner === GraphQLID) return 'string';
  return inner === GraphQLBoolean ? 'boolean' : null;
}
