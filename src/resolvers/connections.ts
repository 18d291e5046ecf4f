import type { FieldNode } from 'graphql';
import type { Connection } from '../paging/connection.ts';
import type { RequestedPage } from '../paging/cost.ts';
import type { RestDecodeError } from '../rest/errors.ts';
import type { FieldErrors } from './field-errors.ts';
import type { Turns } from './turns.ts';

/** The connections that the fields of one operation have asked for. */
export interface Connections {
  /** The connection of a page and a list: known, or read now. */
  read<T>(
    page: RequestedPage,
    listKey: string,
    read: () => Promise<Connection<T> | null>,
  ): Promise<Connection<T> | null>;
  clear(): void;
}

/** Each page of each list is read once: links back to one object may ask for its list under thousands of items. */
export function createConnections(): Connections {
  const known = new Map<RequestedPage, Map<string, Promise<unknown>>>();
  return {
    read<T>(
      page: RequestedPage,
      listKey: string,
      read: () => Promise<Connection<T> | null>,
    ) {
      const byList = known.get(page) ?? new Map<string, Promise<unknown>>();
      known.set(page, byList);
      const connection = byList.get(listKey) ?? read();
      byList.set(listKey, connection);
      // The key names the endpoint, and so the type of the items.
      return connection as Promise<Connection<T> | null>;
    },
    clear: () => known.clear(),
  };
}

/** The same connection, but the errors of its malformed items count with those of fields, each time they are selected. */
export function limitErrors<T>(
  connection: Connection<T>,
  errors: FieldErrors,
): Connection<T> {
  const { edges, nodes, pageInfo } = connection;
  if (nodes.every(isValue)) return connection;
  const toNode = (node: T | RestDecodeError | null) =>
    isValue(node) || errors.admit() ? node : null;
  return {
    edges: edges.map((edge) => ({
      get node() {
        return toNode(edge.node);
      },
      get cursor() {
        return edge.cursor;
      },
    })),
    get nodes() {
      return nodes.map(toNode);
    },
    pageInfo,
  };
}

/** The same connection; if what is selected of it is large, it is completed in several turns. */
export function pace<T>(
  connection: Connection<T>,
  turns: Turns,
  fields: readonly FieldNode[],
): Connection<T> {
  if (!turns.isLong(connection.edges.length, fields)) return connection;
  let isFirst = true;
  // Items one by one, or all items of one alias after another: a promise for each item of each alias would cost more.
  function inTurns<Item>(items: readonly Item[]): readonly Item[] {
    const paced = isFirst ? turns.pace(items, fields) : turns.next()?.then(() => items);
    isFirst = false;
    // graphql waits for promises, but the generated types do not know them here.
    return (paced ?? items) as readonly Item[];
  }
  return {
    get edges() {
      return inTurns(connection.edges);
    },
    get nodes() {
      return inTurns(connection.nodes);
    },
    pageInfo: connection.pageInfo,
  };
}

export const isValue = <T>(value: T | RestDecodeError): value is T =>
  !(value instanceof Error);
