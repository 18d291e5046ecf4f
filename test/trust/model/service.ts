import type { Answers } from '../../../src/embedded/answers.ts';
import { type Arguments, BAD_INPUT, Trouble } from '../oracle/values.ts';
import type { Wire, World } from '../oracle/world.ts';

/** The service as it stands when a write arrives. */
export interface Service {
  readonly world: World;
  /** How it fills the gaps of the interface. */
  readonly answers: Answers;
  /** Who sends the messages, as it stands inside them. */
  readonly owner: unknown;
  /** In the unit of the timestamps. */
  readonly now: number;
  readonly newId: (kind: 'msg' | 'conv') => string;
}

/** What a write leaves behind; a list that is left out is as before. */
export interface Written {
  readonly messages?: readonly Wire[];
  readonly conversations?: readonly Wire[];
  /** The object the service answers; null for a delete. */
  readonly answer: Wire | null;
}

export type Write = (service: Service, input: Arguments) => Written | Trouble;

/** Open point: unknown id. */
export const unknown = ({ answers }: Service): Trouble =>
  answers.unknownId === 400 ? BAD_INPUT : new Trouble('NOT_FOUND');

/** Open point: transitions. */
export const isFrozen = ({ answers }: Service, { archived_at }: Wire): boolean =>
  answers.archived === 'frozen' && archived_at !== null;

export const CONFLICT = new Trouble('CONFLICT');

export const find = (list: readonly Wire[], id: unknown): Wire | undefined =>
  list.find((wire) => wire.id === id);

/** The same list with one object changed. */
export const changed = (list: readonly Wire[], wire: Wire): readonly Wire[] =>
  list.map((each) => (each.id === wire.id ? wire : each));

/** The same list without the object. */
export const without = (list: readonly Wire[], id: unknown): readonly Wire[] =>
  list.filter((each) => each.id !== id);
