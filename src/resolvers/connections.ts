import type { FieldNode } from 'graphql';
import type { Connection } from '../paging/connection.ts';
import type { RequestedPage } from '../paging/cost.ts';
import type { Pauses } from './pauses.ts';

/**
 * The connections that one operation has read. Each page of each list is read once: links back to one object may ask for
 * its list under thousands of items.
 */
export class ConnectionsRead {
  #known: Map<RequestedPage, Map<string, Promise<unknown>>> | null = null;

  /** The connection of a page and a list: known, or read now. */
  read<T>(
    page: RequestedPage,
    listKey: string,
    read: () => Promise<Connection<T> | null>,
  ): Promise<Connection<T> | null> {
    this.#known ??= new Map();
    let byList = this.#known.get(page);
    if (byList === undefined) {
      byList = new Map<string, Promise<unknown>>();
      this.#known.set(page, byList);
    }
    let connection = byList.get(listKey);
    if (connection === undefined) {
      connection = read();
      byList.set(listKey, connection);
    }
    // The key names the endpoint, and so the type of the items.
    return connection as Promise<Connection<T> | null>;
  }

  clear(): void {
    this.#known = null;
  }
}

/** The same connection; if what is selected of it is large, it is completed in parts, with a pause before each. */
export function pace<T>(
  connection: Connection<T>,
  pauses: Pauses,
  fields: readonly FieldNode[],
): Connection<T> {
  if (!pauses.isLong(connection.size, fields)) return connection;
  return new PacedConnection(connection, pauses, fields);
}

class PacedConnection<T> implements Connection<T> {
  readonly #connection: Connection<T>;
  readonly #pauses: Pauses;
  readonly #fields: readonly FieldNode[];
  #isFirst = true;

  constructor(connection: Connection<T>, pauses: Pauses, fields: readonly FieldNode[]) {
    this.#connection = connection;
    this.#pauses = pauses;
    this.#fields = fields;
  }

  get size() {
    return this.#connection.size;
  }

  get edges() {
    return this.#withPauses(this.#connection.edges);
  }

  get nodes() {
    return this.#withPauses(this.#connection.nodes);
  }

  get pageInfo() {
    return this.#connection.pageInfo;
  }

  /** Items one by one, or all items of one alias after another: a promise for each item of each alias would cost more. */
  #withPauses<Item>(items: readonly Item[]): readonly Item[] {
    const paced = this.#isFirst
      ? this.#pauses.pace(items, this.#fields)
      : this.#pauses.next()?.then(() => items);
    this.#isFirst = false;
    // The execution waits for promises, but the generated types do not know them here.
    return (paced ?? items) as readonly Item[];
  }
}
