import { readdirSync, readFileSync } from 'node:fs';
import { buildASTSchema, type GraphQLSchema, isObjectType, parse } from 'graphql';

const files = readdirSync('schema').map((file) => readFileSync(`schema/${file}`, 'utf8'));

/** The schema as clients see it, without any of the gateway's code. */
export const schema: GraphQLSchema = buildASTSchema(parse(files.join('\n')));

/** Every field a query can reach, as `Type.field`. */
export const QUERY_FIELDS: readonly string[] = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__') && !/^Mutation$|Payload$/.test(name))
  .flatMap((type) =>
    Object.keys(type.getFields()).map((field) => `${type.name}.${field}`),
  );
