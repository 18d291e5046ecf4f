import { once } from 'node:events';
import { expect, test } from 'vitest';
import { toShown } from '../../src/config/shown.ts';
import { loadConfig } from '../../src/config.ts';
import { VERSION } from '../../src/rest/user-agent.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { servePlain } from '../support/http.ts';
import { certificateFile } from '../support/tls-service.ts';
import { startUpstream } from '../support/upstream.ts';

// security: secret-headers, password-in-address
test('the log begins with the versions and the settings, once, and shows no secret', async () => {
  const files = {
    REST_CERT: certificateFile('fitting'),
    REST_KEY: certificateFile('key'),
  };
  await using gateway = await startGatewayProcess('http://service.invalid', {
    ...files,
    WORKERS: '2',
    REST_HEADERS: 'X-Api-Key: s3cret-key',
    REST_PROXY: 'http://s3cret-name:s3cret-word@127.0.0.1:1',
    REDIS_URL: 'redis://:s3cret-word@[::1]:1/2',
  });
  await gateway.ask('{ message(id: "m1") { id } }');
  const warnings = () =>
    gateway.log().filter((line) => line.includes('MESSAGING_URL cannot be reached'));
  await expect.poll(warnings).toHaveLength(1);
  await gateway.stop();

  const defaults = toShown(loadConfig({ HOST: '::1' }));
  expect(defaults.HOST).toBe('::1');
  expect(JSON.parse(gateway.lines[1] ?? '')).toEqual({
    level: 30,
    time: expect.any(Number),
    version: VERSION,
    node: process.version,
    settings: {
      ...defaults,
      ...files,
      MESSAGING_URL: 'http://service.invalid',
      HOST: '127.0.0.1',
      PORT: 0,
      WORKERS: 2,
      REST_HEADERS: ['x-api-key'],
      REST_PROXY: 'http://[hidden]@127.0.0.1:1',
      REDIS_URL: 'redis://[hidden]@[::1]:1/2',
    },
    msg: 'started',
  });
  expect(gateway.lines.length - gateway.log().length).toBe(2);
  expect(warnings()).toHaveLength(1);
  expect([...gateway.lines, ...gateway.errors].join()).not.toMatch(/s3cret|PRIVATE KEY/);
});

/** The log of a gateway until it has lines, and then stopped: nothing follows. */
async function logOf(url: string, env: Record<string, string> = {}) {
  await using gateway = await startGatewayProcess(url, env);
  await expect.poll(() => gateway.log().length).toBeGreaterThan(0);
  return await gateway.stop();
}

test.each([
  ['http://127.0.0.1:1', 'ECONNREFUSED', 'the connection was refused'],
  ['http://nowhere.invalid', 'ENOTFOUND', "the service's host name is unknown (DNS)"],
])(
  'the start warns once of an unreachable service, and serves: %s',
  async (url, cause, words) => {
    await using gateway = await startGatewayProcess(url, { LOG_LEVEL: 'warn' });
    const { status } = await fetch(`${gateway.url}/readyz`);
    await expect.poll(() => gateway.log().length).toBeGreaterThan(0);
    const { errors } = await gateway.ask('{ __typename }');

    expect(status).toBe(200);
    expect(errors).toBeUndefined();
    expect(await gateway.stop()).toEqual([
      {
        level: 40,
        time: expect.any(Number),
        cause,
        msg: `The service at MESSAGING_URL cannot be reached: ${words}. Calls fail until it can. "messaging-graphql check" says what to change.`,
      },
    ]);
  },
);

test('the start sends a service that can be reached nothing, and says nothing about it', async () => {
  await using service = await startUpstream({});
  await using gateway = await startGatewayProcess(service.url);
  await expect.poll(() => service.connections).toBe(1);

  expect(await gateway.stop()).toEqual([]);
  expect(gateway.lines).toEqual([
    expect.stringMatching(/^messaging-graphql listens on http:\/\/127\.0\.0\.1:\d+$/),
    expect.stringContaining('started'),
  ]);
  expect(service.calls).toEqual([]);
});

test('the start warns of doubtful settings, one line each', async () => {
  await using service = await startUpstream({});
  const lines = await logOf(service.url, {
    MAX_RESTCALLS: '5',
    PAGING: 'limit',
    PAGING_PARAM: 'since',
  });

  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [40, expect.stringMatching(/^PAGING_PARAM has no effect with PAGING=limit: /)],
    [40, 'MAX_RESTCALLS is not a setting. Did you mean MAX_REST_CALLS?'],
  ]);
});

test('a stop does not wait for a service that never completes its connection', async () => {
  // It never answers the TLS handshake.
  await using silent = await servePlain();
  const connected = once(silent.server, 'connection');
  await using gateway = await startGatewayProcess(`https://127.0.0.1:${silent.port}`);
  await connected;

  expect(await gateway.stop()).toEqual([]);
});
