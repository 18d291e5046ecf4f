import type { Sink } from 'graphql-ws';
import {
  ConnectionHandler,
  Environment,
  type GraphQLResponse,
  Network,
  Observable,
  type RecordProxy,
  RecordSource,
  type RecordSourceSelectorProxy,
  type RequestParameters,
  Store,
  type Variables,
} from 'relay-runtime';
import { resuming } from './live-reconnect.ts';
import { createLiveSocket } from './live-socket.ts';

/** The compiler gives an id in place of the text if it persists the operations. */
const toBody = ({ id, text: query }: RequestParameters, variables: Variables) =>
  query ? { query, variables } : { id, variables };

/** Reads, pages, sends, subscribes, and comes back by itself. `url`: such as `http://127.0.0.1:4000/graphql`. */
export function createMessagingEnvironment(
  url: string,
  getToken: () => string,
  socket = createLiveSocket(url, getToken),
) {
  const network = Network.create(
    async (request, variables) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${getToken()}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(toBody(request, variables)),
      });
      return (await response.json()) as GraphQLResponse;
    },
    (request, given) =>
      Observable.create<GraphQLResponse>((sink) => {
        const variables = { ...given };
        const body = { query: '', ...toBody(request, variables) };
        return socket.subscribe(body, resuming(variables, sink as Sink));
      }),
  );
  return new Environment({
    network,
    store: new Store(new RecordSource()),
    // An `id` is unique within its type only.
    getDataID: (record) => record.nodeId,
  });
}

/**
 * The `updater` of a subscription to `messageChanged` with `kind`, `messageNodeId`, `clientMutationId` and `createdAt` of `message`: puts a new
 * message at its place by time, and takes a deleted one out. `connection`: the `__id` of a list with `order: NEWEST_FIRST`. `waiting`: the keys
 * of the messages that are shown and have no answer yet; their events are left out.
 */
export const createMessageUpdater =
  (connection: string, waiting: ReadonlySet<unknown> = new Set()) =>
  (store: RecordSourceSelectorProxy): void => {
    const change = store.getRootField('messageChanged');
    const list = store.get(connection);
    if (!change || !list) return;
    if (change.getValue('kind') === 'DELETED')
      ConnectionHandler.deleteNode(list, String(change.getValue('messageNodeId')));
    const message = change.getLinkedRecord('message');
    if (change.getValue('kind') !== 'CREATED' || !message) return;
    if (waiting.has(change.getValue('clientMutationId'))) return;
    const edges = list.getLinkedRecords('edges') ?? [];
    const nodes = edges.map((edge) => edge.getLinkedRecord('node'));
    if (nodes.some((node) => node?.getDataID() === message.getDataID())) return;
    const timeOf = (node: RecordProxy | null) => Number(node?.getValue('createdAt'));
    const older = nodes.findIndex((node) => timeOf(node) <= timeOf(message));
    // It belongs to a page that was not read.
    if (older === -1 && list.getLinkedRecord('pageInfo')?.getValue('hasNextPage')) return;
    const edge = ConnectionHandler.createEdge(store, list, message, 'MessageEdge');
    const at = older === -1 ? edges.length : older;
    list.setLinkedRecords(edges.toSpliced(at, 0, edge), 'edges');
  };
