import type { Connection } from '../paging/connection.ts';

/**
 * The objects that resolvers receive as parents, by type of the schema. Each resource adds its own, with `declare module`.
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: each resource adds its own models to it, with `declare module`
export interface Models {}

/**
 * What the resolvers of a generated type `T` receive: its model, or a connection of models. Any other type keeps its
 * fields, and they have models where the schema has types with models. `clientMutationId` is added by the schema.
 */
export type ModelOf<T> = T extends { __typename?: infer Name }
  ? NonNullable<Name> extends keyof Models
    ? Models[NonNullable<Name>]
    : NonNullable<Name> extends `${infer Item extends keyof Models}Connection`
      ? Connection<Models[Item]>
      : { [Field in keyof T as Exclude<Field, 'clientMutationId'>]: ModelOf<T[Field]> }
  : T;
