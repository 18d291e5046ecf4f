import type { GraphQLArgument } from 'graphql';

/** One selection of an operation, before it is printed. */
export type Selection = FieldSelection | FragmentSelection;

export interface FieldSelection {
  readonly kind: 'field';
  readonly field: string;
  /** Its type: fields of one name that have different types cannot have one response name. */
  readonly type?: string;
  /** The preferred response name; null: the field's own. Printing adds a number where two would clash. */
  readonly alias: string | null;
  readonly args: ChosenArguments;
  readonly conditions: readonly Condition[];
  readonly children: readonly Selection[] | null;
}

export interface FragmentSelection {
  readonly kind: 'fragment';
  readonly on: string | null;
  /** How often a named fragment is spread; 0: the fragment is inline. */
  readonly spreads: number;
  readonly conditions: readonly Condition[];
  readonly children: readonly Selection[];
}

/** How a value is written. `default`: as the default of a variable that the request does not give. */
export type Style = 'literal' | 'variable' | 'default';

/** The arguments of a field, with the styles of their values in turn, then again from the first. */
export interface ChosenArguments {
  readonly definitions: readonly GraphQLArgument[];
  readonly given: Readonly<Record<string, unknown>>;
  readonly styles: readonly Style[];
}

export const NO_ARGUMENTS: ChosenArguments = { definitions: [], given: {}, styles: [] };

export interface Condition {
  readonly directive: 'skip' | 'include';
  readonly value: boolean;
  readonly style: Style;
}
