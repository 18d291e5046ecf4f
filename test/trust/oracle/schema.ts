import { readdirSync, readFileSync } from 'node:fs';
import {
  buildASTSchema,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  parse,
} from 'graphql';

const files = readdirSync('schema').map((file) => readFileSync(`schema/${file}`, 'utf8'));

/** The schema, built from its files without the gateway's code. */
export const schema: GraphQLSchema = buildASTSchema(parse(files.join('\n')));

/** Every field below a root type, as `Type.field`. */
export function fieldsBelow(root: GraphQLObjectType): string[] {
  const types = new Set<GraphQLNamedType>([root]);
  // The loop also visits the types that it adds.
  for (const type of types) {
    if (isInterfaceType(type)) schema.getPossibleTypes(type).map((one) => types.add(one));
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      types.add(getNamedType(field.type));
    }
  }
  return [...types]
    .filter(isObjectType)
    .flatMap((type) =>
      Object.keys(type.getFields()).map((field) => `${type.name}.${field}`),
    );
}

export const queryType = schema.getQueryType() as GraphQLObjectType;
export const mutationType = schema.getMutationType() as GraphQLObjectType;
export const conversationType = schema.getType('Conversation') as GraphQLObjectType;
