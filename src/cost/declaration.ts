import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import type { Arguments } from '../document/arguments.ts';
import type { PageArguments, PageSize } from '../paging/cost.ts';

/**
 * The REST calls that a field costs, declared beside its resolver. A field without a declaration arrives inside its
 * parent and costs nothing.
 */
export type FieldCost =
  | FetchCost
  | ListCost
  | FirstCost
  | LinkCost
  | ThroughCost
  | SearchCost
  | WriteCost;

/** Objects that an argument names: one call for each. */
export interface FetchCost {
  readonly kind: 'fetch';
  /** The argument that holds an id, or a list of ids. */
  readonly argument: string;
  /** Reads one of these ids; null if the field will refuse it, without a call. */
  readonly read: (id: unknown) => ObjectKey | null;
}

export interface ObjectKey {
  /** Name of its type in the schema, and never another name that a client wrote: prices are kept by it. */
  readonly type: string;
  readonly id: unknown;
}

/** A Relay connection: its first page is one call, or as many as the paging style needs. */
export interface ListCost {
  readonly kind: 'list';
  /** The argument whose id all items share, and the type of the object that it names. */
  readonly owner?: { readonly argument: string; readonly type: string };
}

/**
 * What the first items of a list field of the same object show. Costs their page. Such fields that are selected together read one
 * page: that of the list field beside them, if it is long enough.
 */
export interface FirstCost {
  readonly kind: 'first';
  /** The list field. */
  readonly list: string;
  /** The arguments that it is read with. */
  readonly args: PageArguments;
  /** How many items the field needs. Default: any page will do. */
  readonly needs?: PageSize;
}

/** Another object, known by its id: one call, unless only its id is selected. */
export interface LinkCost {
  readonly kind: 'link';
  /** Whether it leads back to the object from which its parent was reached, if that has the link's type: no call. */
  readonly leadsBack: boolean;
}

/**
 * A value for which the resolver may follow `link` of the nearest object of `type`: its parent, or the object in which its parent
 * arrives. Costs what that link costs.
 */
export interface ThroughCost {
  readonly kind: 'through';
  readonly type: string;
  readonly link: string;
}

/** An object that is searched for: at most `calls` calls, however often it is selected. */
export interface SearchCost {
  readonly kind: 'search';
  readonly calls: number;
}

/** A mutation: one call each time, and those of what it reads first. */
export interface WriteCost {
  readonly kind: 'write';
  /** How many calls it may read with. Default: 0. */
  readonly reads?: number;
  /** Whether it may have to read first what it changes: one call more, of what the operation's other fields leave. */
  readonly mayRead?: true;
  /**
   * The page in which it searches for what it has written, if it has a `clientMutationId` and no answer came; it may read one object
   * more. What was written under that key before costs no call, or the one that reads it.
   */
  readonly onceIn?: PageArguments;
}

/** Whether a write has a `clientMutationId`. Arguments that are refused are read as `{}`, without `input`. */
export function isKeyed({ input }: Arguments): boolean {
  return (input as { clientMutationId?: unknown } | undefined)?.clientMutationId != null;
}

export const fetchById = (type: string): FieldCost => ({
  kind: 'fetch',
  argument: 'id',
  read: (id) => ({ type, id }),
});

export const WRITE: FieldCost = { kind: 'write' };

/** Costs by type and field. */
export type Costs = Readonly<Record<string, Readonly<Record<string, FieldCost>>>>;

/** Attaches the costs to the fields of a schema, where `costOf` finds them. */
export function declareCosts(
  schema: GraphQLSchema,
  declarations: readonly Costs[],
): void {
  for (const [typeName, fields] of declarations.flatMap(Object.entries)) {
    const type = schema.getType(typeName);
    for (const [name, cost] of Object.entries(fields)) {
      const field = isObjectType(type) ? type.getFields()[name] : undefined;
      if (field === undefined) throw new Error(`The schema has no ${typeName}.${name}.`);
      field.extensions = { ...field.extensions, cost };
    }
  }
}

/** The declared cost of a field; undefined if it costs nothing. */
export const costOf = ({
  extensions,
}: GraphQLField<unknown, unknown>): FieldCost | undefined =>
  extensions.cost as FieldCost | undefined;
