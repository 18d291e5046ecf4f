import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { CodegenConfig } from '@graphql-codegen/cli';
import { buildSchema } from 'graphql';

const SCHEMA = 'schema/*.graphql';
const schema = buildSchema(
  globSync(SCHEMA)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n'),
);

/** The resolvers of a type receive what `src/messaging/` exports under the type's name. */
const mappers = globSync('src/messaging/*.ts').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^export interface (\w+)/gm)].flatMap(
    ([, name = '']) => [
      [name, `../messaging/${basename(file)}#${name} as ${name}Model`],
      [`${name}Connection`, `../paging/connection.ts#Connection<${name}Model>`],
    ],
  ),
);

/**
 * Types of the schema and of its resolvers, which are not committed: `npm ci`, `npm test` and `npm run build` write them with
 * `npm run types`. `npm run codegen` writes `schema.graphql` too.
 */
const config: CodegenConfig = {
  schema: SCHEMA,
  generates: {
    'src/generated/types.ts': {
      plugins: [
        {
          add: {
            content: '// Made by codegen.ts from schema/*.graphql; not edited by hand.',
          },
        },
        'typescript',
        'typescript-resolvers',
      ],
      config: {
        useTypeImports: true,
        // Node only strips types, but an enum is code.
        enumsAsTypes: true,
        contextType: '../resolvers/context.ts#GatewayContext',
        mappers: Object.fromEntries(
          mappers.filter(([name = '']) => schema.getType(name)),
        ),
        scalars: {
          ID: { input: 'string', output: 'string' },
          Timestamp: 'number',
          DateTime: { input: '../rest/timestamp.ts#Instant', output: 'string' },
          JSON: 'unknown',
        },
        strictScalars: true,
        defaultScalarType: 'unknown',
        avoidOptionals: { field: true },
      },
    },
  },
};

export default config;
