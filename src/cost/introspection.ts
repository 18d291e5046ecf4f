import {
  type FieldNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { includedFields, type SelectionContext } from '../document/selection.ts';
import { toArguments } from './arguments.ts';

type Definition = GraphQLField<unknown, unknown>;

const META_FIELDS: readonly Definition[] = [SchemaMetaFieldDef, TypeMetaFieldDef];

export interface Introspecting {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly selectionContext: SelectionContext;
  /** It is not counted further than that. */
  readonly limit: number;
}

/**
 * How many values `__schema` and `__type` put into an answer. The schema is long, costs no call and needs no token: asked
 * for again and again it would be the cheapest attack. It is walked as execution would walk it.
 */
export function countIntrospection({
  schema,
  operation,
  selectionContext,
  limit,
}: Introspecting): number {
  let count = 0;
  const parts = new Map<SelectionSetNode, readonly FieldNode[]>();
  for (const field of partsOf(operation.selectionSet)) {
    const definition = META_FIELDS.find(({ name }) => name === field.name.value);
    if (definition !== undefined) visit(definition, field, undefined);
  }
  return count;

  function visit(definition: Definition, field: FieldNode, parent: unknown): void {
    const type = getNamedType(definition.type);
    const value = resolve(definition, field, parent);
    for (const item of Array.isArray(value) ? value : [value]) {
      count += 1;
      if (item == null || !isObjectType(type)) continue;
      const fields = type.getFields();
      for (const part of partsOf(field.selectionSet)) {
        if (count > limit) return;
        const inner = fields[part.name.value];
        if (inner !== undefined) visit(inner, part, item);
      }
    }
  }

  function partsOf(selectionSet: SelectionSetNode | undefined): readonly FieldNode[] {
    if (selectionSet === undefined) return [];
    const known =
      parts.get(selectionSet) ?? includedFields(selectionSet, selectionContext);
    parts.set(selectionSet, known);
    return known;
  }

  /** The resolvers of the introspection read nothing but the schema. */
  function resolve(definition: Definition, field: FieldNode, parent: unknown): unknown {
    const args = toArguments(definition, field, selectionContext);
    return definition.resolve?.(parent, args, {}, { schema } as GraphQLResolveInfo);
  }
}
