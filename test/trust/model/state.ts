import type { Answers } from '../../../src/embedded/answers.ts';
import { type Arguments, BAD_INPUT, FieldError } from '../oracle/values.ts';
import type { Item, World } from '../oracle/world.ts';

/** The state of the service when a write arrives. */
export interface State {
  readonly world: World;
  /** The service's answers to the open points. */
  readonly answers: Answers;
  /** The sender of all messages, as a contact. */
  readonly owner: unknown;
  /** In the unit of the timestamps. */
  readonly now: number;
  /** Milliseconds since 1970 in that unit. */
  readonly toTimestamp: (ms: number) => number;
  readonly newId: (kind: 'msg' | 'conv') => string;
}

/** The state after a write. A list that is left out did not change. */
export interface WriteResult {
  readonly messages?: readonly Item[];
  readonly conversations?: readonly Item[];
  /** The object in the service's response; null for a delete. */
  readonly answer: Item | null;
}

export type Write = (state: State, input: Arguments) => WriteResult | FieldError;

/** Open point: unknown id. */
export const unknown = ({ answers }: State): FieldError =>
  answers.unknownId === 400 ? BAD_INPUT : new FieldError('NOT_FOUND');

/** Open point: transitions. */
export const isFrozen = ({ answers }: State, { archived_at }: Item): boolean =>
  answers.archived === 'frozen' && archived_at !== null;

export const CONFLICT = new FieldError('CONFLICT');

export const find = (list: readonly Item[], id: unknown): Item | undefined =>
  list.find((wire) => wire.id === id);

/** A copy of the list with one object replaced. */
export const replaced = (list: readonly Item[], wire: Item): readonly Item[] =>
  list.map((each) => (each.id === wire.id ? wire : each));

/** A copy of the list without one object. */
export const without = (list: readonly Item[], id: unknown): readonly Item[] =>
  list.filter((each) => each.id !== id);
