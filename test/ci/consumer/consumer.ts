/**
 * What a consumer in strict TypeScript writes, with every part of the library. `test/ci/packed-package.ts` compiles it
 * against the packed package, and runs it.
 */
import { strictEqual } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { fastify } from 'fastify';
import {
  ConfigError,
  createGateway,
  type EmbeddedService,
  type ExecuteRequest,
  type Gateway,
  type GatewayOptions,
  type ListeningGateway,
  loadConfig,
  printSchema,
  startEmbeddedService,
  startGateway,
} from 'messaging-graphql';
import { pino } from 'pino';

const service: EmbeddedService = await startEmbeddedService({
  answers: { order: 'oldest' },
  onCall: ({ status }) => strictEqual(status, 200),
});
const [user] = service.sampleUsers;
const options: GatewayOptions = {
  messagingUrl: service.url,
  paging: 'limit',
  corsOrigins: ['https://app.example'],
  maxLimit: undefined,
  logger: pino({ level: 'silent' }),
};
const request: ExecuteRequest = {
  query: 'query One($id: ID!) { conversation(id: $id) { id } }',
  variables: { id: 'conv_lisbon_trip' },
  token: user?.token,
  signal: AbortSignal.timeout(10_000),
};

const gateway: Gateway = await createGateway(options);
const result = await gateway.execute<{ conversation: { id: string } | null }>(request);
strictEqual(result.errors, undefined);
strictEqual(result.data?.conversation?.id, 'conv_lisbon_trip');
strictEqual(gateway.schema.getQueryType()?.name, 'Query');
strictEqual(printSchema().includes('type Query {'), true);
strictEqual(printSchema({ federation: true }).includes('@key'), true);

const server = createServer(gateway.handler).listen(0, '127.0.0.1');
await once(server, 'listening');
await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`);
server.close();
server.closeAllConnections();

const app = express().use(express.json()).use('/api', gateway.handler);
const listening = app.listen(0, '127.0.0.1');
await once(listening, 'listening');
await ask(`http://127.0.0.1:${(listening.address() as AddressInfo).port}/api/graphql`);
listening.close();
listening.closeAllConnections();

const host = fastify({ logger: { level: 'silent' } });
await using inside = await createGateway({ ...options, logger: host.log });
await host.register(inside.fastify, { prefix: '/api' });
await ask(`${await host.listen({ port: 0 })}/api/graphql`);
await host.close();

const started: ListeningGateway = await startGateway({
  ...loadConfig({ MESSAGING_URL: service.url, PORT: '0', LOG_LEVEL: 'silent' }),
});
await ask(`${started.url}/graphql`);
await started.close();

const error: unknown = await createGateway({ port: -1 }).catch(
  (thrown: unknown) => thrown,
);
strictEqual(error instanceof ConfigError, true);

await gateway.close();
await service.close();
process.stdout.write('all parts work\n');

async function ask(url: string): Promise<void> {
  const { query, variables, token } = request;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  strictEqual(
    JSON.stringify(await response.json()),
    JSON.stringify({ data: result.data }),
  );
}
