import {
  type FieldNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  introspectionFromSchema,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import { shownSchemaOf } from '../document/shown-schema.ts';
import type { FieldDefinition } from './known-prices.ts';
import type { PricedOperation } from './price.ts';
import { weigh } from './size.ts';

/** An operation may read the whole schema this often. Tools read it once; some ask for more than the standard query does. */
export const MAX_SCHEMA_READS = 4;

/** The field by which composers read the whole schema as text. Each text counts as one read. */
const SERVICE = '_service';

const META_FIELDS: readonly FieldDefinition[] = [SchemaMetaFieldDef, TypeMetaFieldDef];
const READS = [SERVICE, ...META_FIELDS.map(({ name }) => name)];

const readsSchema = ({ name }: FieldNode): boolean => READS.includes(name.value);

/** How many values one read of a schema has; counted when an operation first reads it. */
const valuesOf = new WeakMap<GraphQLSchema, number>();

function countSchema(schema: GraphQLSchema): number {
  let count = valuesOf.get(schema);
  if (count === undefined) {
    count = countValues(introspectionFromSchema(schema));
    valuesOf.set(schema, count);
  }
  return count;
}

const countValues = (json: unknown): number =>
  typeof json === 'object' && json !== null
    ? Object.values(json).reduce((count, value) => count + countValues(value), 1)
    : 1;

/**
 * Counts the values that `__schema`, `__type` and `_service` put into an answer, and says whether they are too many. The schema is long,
 * costs no call and needs no token: to read it again and again would be the cheapest attack. graphql limits the depth of introspection;
 * this count, made as execution would read the schema, limits the repetition.
 */
export function readsSchemaTooOften({
  schema,
  operation,
  selection,
  argumentsOf,
}: PricedOperation): boolean {
  const reads = selection.fieldsOf(operation.selectionSet).filter(readsSchema);
  if (reads.length === 0) return false;
  const shown = shownSchemaOf(schema);
  const oneRead = countSchema(shown);
  const limit = MAX_SCHEMA_READS * oneRead;
  let count = 0;
  for (const field of reads) {
    const definition = META_FIELDS.find(({ name }) => name === field.name.value);
    if (definition !== undefined) visit(definition, field, undefined);
    else count += oneRead * selection.fieldsOf(field.selectionSet).length;
  }
  return count > limit;

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
