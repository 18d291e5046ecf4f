import type { ListKey } from './world.ts';

/** An object of the expected answer: its type and the record from which its fields are read. */
export interface OracleObject {
  readonly type: string;
  readonly wire: Readonly<Record<string, unknown>>;
}

/** The expected error code of a field. */
export class FieldError {
  readonly code: string;
  constructor(code: string) {
    this.code = code;
  }
}

/** Matches any cursor, which then belongs to this item. */
export class AnyCursor {
  readonly list: ListKey;
  readonly id: string;
  constructor(list: ListKey, id: string) {
    this.list = list;
    this.id = id;
  }
}

export type Arguments = Readonly<Record<string, unknown>>;

export const BAD_INPUT = new FieldError('BAD_USER_INPUT');
