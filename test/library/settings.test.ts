import cluster from 'node:cluster';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Server } from 'node:net';
import { graphql, printSchema as print } from 'graphql';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { toSettings } from '../../src/gateway/settings.ts';
import {
  ConfigError,
  createGateway,
  type GatewayOptions,
  loadConfig,
  printSchema,
  startGateway,
} from '../../src/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { createScripted, createTestGateway, keepLines, MESSAGE } from './support.ts';

afterEach(() => vi.unstubAllEnvs());

test('what is not set has the default of its environment variable', () => {
  expect(toSettings({})).toEqual(loadConfig({}));
  expect(toSettings({ maxLimit: null, host: null as never, port: undefined })).toEqual(
    loadConfig({}),
  );
});

test('workers is checked, and starts no process', async () => {
  await using upstream = await startUpstream();
  await using gateway = await startGateway({
    messagingUrl: upstream.url,
    port: 0,
    logLevel: 'silent',
    workers: 2,
  });

  const { data } = await gateway.execute({ query: MESSAGE, token: 'ann-token' });

  expect(data).toEqual({ message: { message: 'text m1' } });
  expect(cluster.workers ?? {}).toEqual({});
  await expect(createGateway({ workers: 0 })).rejects.toThrow('WORKERS="0": takes ');
});

const LISTENING = 'tracing:net.server.listen:asyncStart';

test('a start that fails leaves nothing open', async () => {
  const { readdir } = promises;
  const servers: Server[] = [];
  const note = (message: unknown) => servers.push((message as { server: Server }).server);
  subscribe(LISTENING, note);
  promises.readdir = (async () => {
    throw new Error('too many open files');
  }) as typeof readdir;
  syncBuiltinESMExports();
  try {
    await expect(createGateway({ logLevel: 'silent' })).rejects.toThrow('too many');
  } finally {
    promises.readdir = readdir;
    syncBuiltinESMExports();
    unsubscribe(LISTENING, note);
  }

  expect(servers.map(({ listening }) => listening)).toEqual([false]);
});

test('the address of a gateway that listens at all of its machine is one that a client can open', async () => {
  await using gateway = await startGateway({
    messagingUrl: NOWHERE,
    host: '0.0.0.0',
    port: 0,
    logLevel: 'silent',
  });

  expect(gateway.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test('settings of every type are taken, and so is what loadConfig returns', () => {
  const env = {
    MESSAGING_URL: 'https://api.example/messaging/',
    PORT: '0',
    PAGING: 'offset',
    CORS_ORIGINS: 'https://a.example,https://b.example',
    METRICS: 'false',
    MAX_LIMIT: '50',
    TIMESTAMP_UNIT: 'seconds',
  };

  expect(
    toSettings({
      messagingUrl: 'https://api.example/messaging/',
      port: 0,
      paging: 'offset',
      corsOrigins: ['https://a.example', 'https://b.example'],
      metrics: false,
      maxLimit: 50,
      timestampUnit: 'seconds',
    }),
  ).toEqual(loadConfig(env));
  expect(toSettings(loadConfig(env))).toEqual(loadConfig(env));
});

test.each([
  [
    { MESSAGING_URL: NOWHERE },
    'MESSAGING_URL: there is no such setting; it is called messagingUrl here',
  ],
  [{ url: NOWHERE }, 'url: there is no such setting'],
  [{ toString: 1 }, 'toString: there is no such setting'],
  [{ logger: true }, 'logger: takes a logger with debug, info, warn and error'],
  [{ paging: 'foo', nonsense: 1 }, /^nonsense: there is no such setting\nPAGING="foo": /],
  [{ messagingUrl: 'https://api.example/v1' }, /^MESSAGING_URL=.*without "\/v1"/],
  [
    { messagingUrl: NOWHERE, trustedDocuments: '/nowhere.json' },
    /^TRUSTED_DOCUMENTS="\/nowhere.json"/,
  ],
  [
    { messagingUrl: 'api.example', maxPageSize: -1, restTimeoutMs: 1.5, corsOrigins: [] },
    /^MESSAGING_URL="api.example": .*\nMAX_PAGE_SIZE="-1": .*\nREST_TIMEOUT_MS="1.5": .*\nCORS_ORIGINS="": takes/,
  ],
])('%j is refused', async (settings, message) => {
  const created = createGateway(settings as unknown as GatewayOptions);

  await expect(created).rejects.toThrow(message);
  await expect(created).rejects.toThrow(ConfigError);
});

test('without messagingUrl the data are samples, and the log says so', async () => {
  const { lines, logger } = keepLines();
  await using gateway = await createGateway({ logger });
  const [user] = gateway.sampleUsers;

  const { data } = await gateway.execute({
    query: '{ conversation(id: "conv_lisbon_trip") { id createdAtIso } }',
    token: user?.token,
  });

  expect(data).toEqual({
    conversation: { id: 'conv_lisbon_trip', createdAtIso: expect.any(String) },
  });
  expect(lines[0]).toEqual({
    level: 'warn',
    msg: 'messagingUrl is not set, so all data are samples from an embedded service.',
  });
});

test('with NODE_ENV=production, sample data must be asked for', async () => {
  vi.stubEnv('NODE_ENV', 'production');

  await expect(createGateway()).rejects.toThrow(/^MESSAGING_URL is not set/);
  await using gateway = await createGateway({
    messagingUrl: 'embedded',
    logLevel: 'silent',
  });
  expect(gateway.sampleUsers.length).toBeGreaterThan(0);
});

test('a logger of pino keeps its level and its fields, and is left open', async () => {
  const written: string[] = [];
  const logger = pino(
    { level: 'warn', base: { app: 'host' } },
    { write: (line: string) => written.push(line) },
  );
  await using gateway = await createScripted(undefined, { logger, logLevel: 'trace' });

  await gateway.execute({ query: MESSAGE, token: 't' });
  logger.level = 'info';
  await gateway.execute({ query: MESSAGE, token: 't' });
  await gateway.close();
  logger.warn('after');

  expect(written.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ app: 'host', msg: 'operation', restCalls: 1 }),
    expect.objectContaining({ app: 'host', msg: 'after' }),
  ]);
});

test('the schema is the printed one, and executable only through the gateway', async () => {
  await using gateway = await createTestGateway(NOWHERE);

  expect(print(gateway.schema)).toBe(printSchema());
  const { errors } = await graphql({ schema: gateway.schema, source: MESSAGE });
  expect(errors).toHaveLength(1);
});
