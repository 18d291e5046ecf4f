/** One selection of an operation, before it is printed. */
export type Selection = FieldSelection | FragmentSelection;

export interface FieldSelection {
  readonly kind: 'field';
  readonly field: string;
  /** The preferred response name; null: the field's own. Printing adds a number where two would clash. */
  readonly alias: string | null;
  readonly args: readonly Argument[];
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

export interface Argument {
  readonly name: string;
  /** For example `ID!`. */
  readonly type: string;
  /** Undefined: a variable that the request does not give. */
  readonly value: unknown;
  readonly style: Style;
  /** The styles of the object's fields or the list's items in a literal; null: the value has one style throughout. */
  readonly parts: readonly Argument[] | null;
}

export interface Condition {
  readonly directive: 'skip' | 'include';
  readonly value: boolean;
  readonly style: Style;
}
