import { once } from 'node:events';
import { createServer } from 'node:http';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import http from '@graphql-mesh/transport-http';
import { notesSubgraph } from './notes.js';
import { composeSupergraph } from './supergraph.js';

/** Starts the notes, composes them with a running messaging-graphql, and starts a federation gateway over both. */

const {
  MESSAGING_GRAPHQL = 'http://127.0.0.1:4000/graphql',
  HOST = '127.0.0.1',
  PORT = '4100',
} = process.env;

/** Returns the address of /graphql. */
async function listen(handler, port) {
  const server = createServer(handler).listen(port, HOST);
  await once(server, 'listening');
  return `http://${HOST}:${server.address().port}/graphql`;
}

const notes = await listen(notesSubgraph, 0);
const supergraph = await composeSupergraph([
  { name: 'messaging', url: MESSAGING_GRAPHQL },
  { name: 'notes', url: notes },
]);
const gateway = createGatewayRuntime({
  supergraph,
  transports: { http },
  // Each subgraph sees the token of the caller, and answers for nobody else.
  propagateHeaders: {
    fromClientToSubgraphs({ request }) {
      const authorization = request.headers.get('authorization');
      return authorization === null ? {} : { authorization };
    },
  },
  logging: false,
});
const address = await listen(gateway, Number(PORT));
process.stdout.write(`the supergraph listens on ${address}\n`);

// The runtime has handlers for these signals, but does not end the process.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
