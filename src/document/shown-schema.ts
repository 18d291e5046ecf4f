import type { GraphQLSchema } from 'graphql';

/** Where a schema keeps the one that its introspection shows. */
const SHOWN = 'shownSchema';

/** The extensions of a schema whose introspection shows another one: clients need not see the fields of federation. */
export const showInstead = (shown: GraphQLSchema) => ({ [SHOWN]: shown });

/** The schema that clients see when they read `schema` by introspection. */
export const shownSchemaOf = (schema: GraphQLSchema): GraphQLSchema =>
  (schema.extensions[SHOWN] as GraphQLSchema | undefined) ?? schema;
