import { AsyncLocalStorage } from 'node:async_hooks';

/** Paths of fields, as in the path of an error with dots between: `conversations.nodes.0.messages`. */
export type Fields = ReadonlySet<string>;

/**
 * Which fields of one operation want which of its reads. A read is made once however many fields want it, so each has
 * a key by which those that come later are added.
 */
export interface Wants {
  /** Runs the resolver of a field: whatever it reads and writes, it wants. */
  by<T>(field: string, resolve: () => T): T;
  /** The field at work wants what is read under this key. */
  add(key: string): void;
  /** Makes the one read of a key, for all who want it, those that still will included. */
  read<T>(key: string, run: () => T): T;
  /** A write has ended: what is wanted from now on is another read. */
  forget(): void;
}

/** For operations of which nobody wants to know. */
export const NO_WANTS: Wants = {
  by: (_field, resolve) => resolve(),
  add: () => {},
  read: (_key, run) => run(),
  forget: () => {},
};

const atWork = new AsyncLocalStorage<Set<string>>();

/** The fields for which the code at hand runs, and those that will be added to them. */
export const fieldsAtWork = (): Fields => atWork.getStore() ?? new Set();

export function createWants(): Wants {
  const byKey = new Map<string, Set<string>>();
  const fieldsOf = (key: string): Set<string> => {
    const fields = byKey.get(key) ?? new Set();
    byKey.set(key, fields);
    return fields;
  };
  return {
    by: (field, resolve) => atWork.run(new Set([field]), resolve),
    add(key) {
      const fields = fieldsOf(key);
      for (const field of fieldsAtWork()) fields.add(field);
    },
    read: (key, run) => atWork.run(fieldsOf(key), run),
    forget: () => byKey.clear(),
  };
}
