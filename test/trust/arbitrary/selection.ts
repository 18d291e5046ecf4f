/** One selection of an operation, before it is text. */
export type Selection = FieldSelection | FragmentSelection;

export interface FieldSelection {
  readonly kind: 'field';
  readonly field: string;
  /** Null: none is wished for; a clash may need one all the same. */
  readonly alias: string | null;
  readonly args: readonly Argument[];
  readonly conditions: readonly Condition[];
  readonly children: readonly Selection[] | null;
}

export interface FragmentSelection {
  readonly kind: 'fragment';
  readonly on: string | null;
  /** Whether it is a fragment of its own, spread as often as this; 0 is an inline one. */
  readonly spreads: number;
  readonly conditions: readonly Condition[];
  readonly children: readonly Selection[];
}

/** How a value gets into the operation. `default`: a variable that is not given, but has this default. */
export type How = 'literal' | 'variable' | 'default';

export interface Argument {
  readonly name: string;
  /** `ID!`. */
  readonly type: string;
  /** Undefined: left out, by a variable that is not given. */
  readonly value: unknown;
  readonly how: How;
  /** How the fields of an object, or the items of a list, are written in a literal of it; null: as one. */
  readonly parts: readonly Argument[] | null;
}

export interface Condition {
  readonly directive: 'skip' | 'include';
  readonly value: boolean;
  readonly how: How;
}
