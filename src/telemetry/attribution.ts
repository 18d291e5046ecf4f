import { AsyncLocalStorage } from 'node:async_hooks';

/** Paths of fields, as in an error's `path`, joined by dots: `conversations.nodes.0.messages`. */
export type FieldPaths = ReadonlySet<string>;

const running = new AsyncLocalStorage<Set<string>>();

/** The fields for which the current code runs; fields that are noted later are added to this set. */
export const runningFields = (): FieldPaths => running.getStore() ?? new Set();

/**
 * Attributes the calls of one operation to the fields that need them. Each read is made once; fields that need it later
 * are attributed to it by its key.
 */
export class Attribution {
  readonly #byKey = new Map<string, Set<string>>();

  /** Runs the resolver of a field: its calls are attributed to that field. */
  runAs<T>(field: string, resolve: () => T): T {
    return running.run(new Set([field]), resolve);
  }

  /** Notes that the running field needs the read of this key. */
  note(key: string): void {
    const fields = this.#fieldsOf(key);
    for (const field of runningFields()) fields.add(field);
  }

  /** Runs the single read for a key; fields that ask for it later are attributed to it too. */
  read<T>(key: string, run: () => T): T {
    return running.run(this.#fieldsOf(key), run);
  }

  /** Forgets earlier reads. After a write, the same key means a new read. */
  forget(): void {
    this.#byKey.clear();
  }

  #fieldsOf(key: string): Set<string> {
    const fields = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, fields);
    return fields;
  }
}
