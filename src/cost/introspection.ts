import {
  type FieldNode,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import { shownSchemaOf } from '../document/shown-schema.ts';
import type { FieldDefinition } from './known-prices.ts';
import type { PricedOperation } from './price.ts';
import { weigh } from './size.ts';

/** The field by which composers read the whole schema as text, and how much each text counts: a twentieth of the limit. */
const SERVICE = '_service';
const VALUES_PER_TEXT = 3000;

const META_FIELDS: readonly FieldDefinition[] = [SchemaMetaFieldDef, TypeMetaFieldDef];

/**
 * Counts the values that `__schema`, `__type` and `_service` put into an answer, up to `limit`. The schema is long, costs no call and
 * needs no token: to read it again and again would be the cheapest attack. graphql limits the depth of
 * introspection; this count, made as execution would read the schema, limits the repetition.
 */
export function countIntrospection(
  { schema, operation, selection, argumentsOf }: PricedOperation,
  limit: number,
): number {
  const shown = shownSchemaOf(schema);
  let count = 0;
  for (const field of selection.fieldsOf(operation.selectionSet)) {
    const definition = META_FIELDS.find(({ name }) => name === field.name.value);
    if (definition !== undefined) visit(definition, field, undefined);
    if (field.name.value === SERVICE) {
      count += VALUES_PER_TEXT * selection.fieldsOf(field.selectionSet).length;
    }
  }
  return count;

  function visit(definition: FieldDefinition, field: FieldNode, parent: unknown): void {
    const type = getNamedType(definition.type);
    const args = argumentsOf(definition, field);
    // The resolvers of introspection read only the schema.
    const info = { schema: shown } as GraphQLResolveInfo;
    const value = definition.resolve?.(parent, args, {}, info);
    for (const item of Array.isArray(value) ? value : [value]) {
      count += weigh(field);
      if (item == null || !isObjectType(type)) continue;
      const fields = type.getFields();
      for (const selected of selection.fieldsOf(field.selectionSet)) {
        if (count > limit) return;
        const inner = fields[selected.name.value];
        if (inner !== undefined) visit(inner, selected, item);
        else count += weigh(selected);
      }
    }
  }
}
