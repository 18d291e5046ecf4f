import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
} from 'graphql';
import { toNodeId } from '../resolvers/node-id.ts';

const SCALARS: Readonly<Record<string, unknown>> = {
  Boolean: true,
  DateTime: '2026-01-01T00:00:00Z',
  Timestamp: 0,
};

/** Made-up values for the required variables of the operations in a document. `size`: of an `Int`, which is that of a page. */
export function madeUpVariables(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  size: number,
): Record<string, unknown> {
  const node = schema.getType('Node') as GraphQLInterfaceType;
  const [{ name: nodeType } = { name: '' }] = schema.getPossibleTypes(node);

  function toValue(type: GraphQLInputType, name: string): unknown {
    if (isNonNullType(type)) return toValue(type.ofType, name);
    if (isListType(type)) return [toValue(type.ofType, name)];
    if (isEnumType(type)) return type.getValues()[0]?.name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      const required = fields.filter((field) => isNonNullType(field.type));
      return Object.fromEntries(
        required.map((field) => [
          field.name,
          toValue(field.type, `${name} ${field.name}`),
        ]),
      );
    }
    if (type.name === 'Int') return size;
    // It is also a `nodeId`, and each variable names an object of its own.
    if (type.name === 'ID') return toNodeId(nodeType, name);
    return SCALARS[type.name] ?? name;
  }

  const values: Record<string, unknown> = {};
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const {
      variable,
      type: named,
      defaultValue,
    } of definition.variableDefinitions ?? []) {
      const type = typeFromAST(schema, named as never);
      const { value: name } = variable.name;
      if (isInputType(type) && isNonNullType(type) && defaultValue === undefined)
        values[name] = toValue(type, name);
    }
  }
  return values;
}
