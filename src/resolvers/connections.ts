import type { Connection } from '../paging/connection.ts';
import type { RequestedPage } from '../paging/cost.ts';

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
