import type { ListKey } from './world.ts';

/** An object of the answer to be: its type, and what its fields are read from. */
export interface Thing {
  readonly type: string;
  readonly wire: Readonly<Record<string, unknown>>;
}

/** A field that fails, with this code. */
export class Trouble {
  readonly code: string;
  constructor(code: string) {
    this.code = code;
  }
}

/** Any cursor of this item will do. */
export class CursorOf {
  readonly list: ListKey;
  readonly id: string;
  constructor(list: ListKey, id: string) {
    this.list = list;
    this.id = id;
  }
}

export type Arguments = Readonly<Record<string, unknown>>;

export const BAD_INPUT = new Trouble('BAD_USER_INPUT');
