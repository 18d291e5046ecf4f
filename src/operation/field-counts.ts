import {
  type FieldNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import type { Checked } from '../cost/check.ts';

/** A field of the schema, with the types of its objects. */
type Field = { types: readonly GraphQLObjectType[]; ok: number; error: number };

/**
 * Counts operations by the fields that they select. These are found once for all requests that select the same, and their
 * values are not counted, so a long answer costs no more.
 */
export function createFieldCounts(schema: GraphQLSchema) {
  const known = new WeakMap<Checked['selection'], ReturnType<typeof select>>();
  const fields = new Map<string, Field>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const of = getNamedType(field.type);
      const types = isAbstractType(of) ? schema.getPossibleTypes(of) : [of];
      const objects = types.filter(isObjectType);
      fields.set(`${type.name}.${field.name}`, { types: objects, ok: 0, error: 0 });
    }
  }

  function select({ plan: { operation }, selection }: Checked) {
    const byNode = new Map<FieldNode | undefined, Field>();
    const all = new Set<Field>();
    const visit = (type: GraphQLObjectType, set: SelectionSetNode | undefined): void => {
      for (const node of selection.fieldsOf(set, type)) {
        const field = fields.get(`${type.name}.${node.name.value}`);
        if (field === undefined) continue; // Introspection.
        // A field selected of an interface counts for each of its types, and an error for the last of them alone.
        byNode.set(node, field);
        all.add(field);
        for (const each of field.types) visit(each, node.selectionSet);
      }
    };
    const root = schema.getRootType(operation.operation);
    if (root) visit(root, operation.selectionSet);
    return { byNode, all: [...all] };
  }

  return {
    /** Counts an operation that was executed. A field counts once, in however many places it is selected or has failed. */
    count(checked: Checked, errors: readonly GraphQLError[]): void {
      const selected = known.get(checked.selection) ?? select(checked);
      known.set(checked.selection, selected);
      for (const field of selected.all) field.ok += 1;
      const places = errors.map(({ nodes }) => nodes?.[0] as FieldNode);
      for (const field of new Set(places.map((node) => selected.byNode.get(node)))) {
        if (field === undefined) continue;
        field.ok -= 1;
        field.error += 1;
      }
    },
    read: () =>
      Array.from(fields, ([coordinate, { ok, error }]) => [
        [coordinate, 'ok', ok] as const,
        [coordinate, 'error', error] as const,
      ]).flat(),
  };
}
