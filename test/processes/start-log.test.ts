import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { servePlain } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';

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
