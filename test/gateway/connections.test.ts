import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTestGateway, keepLines, MESSAGE } from '../library/support.ts';
import { runCheck, runProbe } from '../probe/support.ts';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE, serve, servePlain } from '../support/http.ts';
import { startProxy } from '../support/proxy.ts';
import { certificateFile, startTlsService } from '../support/tls-service.ts';
import { startUpstream } from '../support/upstream.ts';

const CA = { REST_CA: certificateFile('authority') };
const OWN = { REST_CERT: certificateFile('fitting'), REST_KEY: certificateFile('key') };
const demanding = () => startTlsService('fitting', { demandsCertificate: true });

// The machine may have a proxy of its own.
beforeEach(() => void vi.stubEnv('NO_PROXY', undefined).stubEnv('no_proxy', undefined));
afterEach(() => void vi.unstubAllEnvs());

/** The text of a message that is asked for with these settings, or of the error. */
async function askAt(url: string, env: Record<string, string>) {
  await using gateway = await startTestGateway(url, { REST_RETRIES: '0', ...env });
  const { data, errors } = await gateway.ask(MESSAGE);
  return errors?.[0]?.message ?? data.message.message;
}

test('REST_CA names the authority, REST_CERT and REST_KEY the certificate of the gateway', async () => {
  await using service = await demanding();
  const files = [certificateFile('other-host'), CA.REST_CA].join();

  expect(await askAt(service.url, { REST_CA: files, ...OWN })).toBe('text m1');
  expect(await askAt(service.url, CA)).toContain('the connection was closed');
  expect(await askAt(service.url, OWN)).toContain(
    'authority that is not trusted: REST_CA may name it',
  );
  expect(service.calls).toHaveLength(1);
});

test.each([
  ['http', startUpstream, (url: string) => `GET ${url}/v1/messages/m1`],
  ['https', demanding, (url: string) => url.replace('https://', 'CONNECT ')],
])(
  'over %s, calls go through the proxy, but not to a host of NO_PROXY',
  async (_, start, toAsked) => {
    await using service = await start();
    await using proxy = await startProxy('ann:s3cret');
    const env = { REST_PROXY: proxy.url, ...CA, ...OWN };

    expect(await askAt(service.url, env)).toBe('text m1');
    expect(proxy.asked).toEqual([toAsked(service.url)]);
    expect(service.headers[0]).not.toHaveProperty('proxy-authorization');
    vi.stubEnv('NO_PROXY', 'other.example,127.0.0.1');
    expect(await askAt(service.url, env)).toBe('text m1');
    expect(proxy.asked).toHaveLength(1);
  },
);

// security: password-in-address
test.each([
  ['http', startUpstream],
  ['https', demanding],
])(
  'over %s, an error says that it is the proxy, and shows no password',
  async (_, start) => {
    await using service = await start();
    await using proxy = await startProxy('ann:0123456789');
    const { lines, logger } = keepLines();
    const ask = async (restProxy: string) => {
      const options = { restProxy, restRetries: 0, logger };
      await using gateway = await createTestGateway(service.url, options);
      const { errors } = await gateway.execute({ query: MESSAGE, token: 'ann-token' });
      expect(errors?.[0]?.extensions?.code).toBe('UPSTREAM_UNREACHABLE');
      return errors?.[0]?.message.split('answer: ')[1];
    };

    expect(await ask(proxy.url.replace('0123456789', '9876543210'))).toBe(
      'the proxy of REST_PROXY let no connection through',
    );
    expect(await ask(NOWHERE.replace('//', '//ann:9876543210@'))).toBe(
      'the proxy of REST_PROXY could not be reached',
    );
    expect(service.calls).toEqual([]);
    const said = () => JSON.stringify(lines);
    await expect
      .poll(said)
      .toContain('MESSAGING_URL cannot be reached: the proxy of REST_PROXY could not be');
    expect(said()).not.toContain('987654');
  },
);

// security: password-in-address
test.each([
  ['ann:p%40ss0123456', 'Basic [redacted] is ann:[redacted]'],
  ['token0123456', 'Basic [redacted] is [redacted]:'],
])(
  'a proxy that sends its credentials back does not show them: %s',
  async (credentials, shown) => {
    await using proxy = await serve(({ headers }, response) => {
      const sent = headers['proxy-authorization'] ?? '';
      const [, encoded = ''] = sent.split(' ');
      const body = { message: `${sent} is ${Buffer.from(encoded, 'base64')}` };
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    const message = await askAt('http://service.example', {
      REST_PROXY: proxy.url.replace('//', `//${credentials}@`),
    });

    expect(message).toContain(`403: ${shown}`);
  },
);

test('the check and the probe connect as the gateway does', async () => {
  await using service = await demanding();
  await using proxy = await startProxy();
  const env = { ...CA, ...OWN, REST_PROXY: proxy.url };
  const probed = await runProbe([service.url, '--json'], { env });
  const checked = await runCheck({ ...env, MESSAGING_URL: service.url });
  const bare = await runCheck({ ...CA, MESSAGING_URL: service.url });
  const REST_PROXY = NOWHERE.replace('//', '//ann:9876543210@');
  const away = await runCheck({ ...env, REST_PROXY, MESSAGING_URL: service.url });

  expect(probed.status).toBe(0);
  expect(checked.out).toContain(`service   it answers at ${service.url}`);
  expect(new Set(proxy.asked)).toEqual(
    new Set([service.url.replace('https://', 'CONNECT ')]),
  );
  expect(away.out).toContain(
    `could not be reached (tried ${new URL(service.url).host}, with REST_PROXY at 127.0.0.1:1)\n`,
  );
  expect(bare.out).toContain('If it demands a certificate, set REST_CERT and REST_KEY.');
});

test('a check names a proxy that never answers', async () => {
  await using proxy = await servePlain();
  const checked = await runCheck({
    MESSAGING_URL: 'https://service.invalid',
    REST_PROXY: `http://127.0.0.1:${proxy.port}`,
    REST_TIMEOUT_MS: '150',
  });

  expect(checked.out).toContain(
    `within 150 ms (tried service.invalid:443, with REST_PROXY at 127.0.0.1:${proxy.port})\n`,
  );
});

test.each([
  [
    { REST_CA: 'nowhere.pem' },
    'REST_CA="nowhere.pem": takes the path of a PEM file with certificates: there is no such file',
  ],
  [{ REST_CA: `${CA.REST_CA},package.json` }, 'REST_CA="package.json": takes'],
  [{ ...OWN, REST_KEY: OWN.REST_CERT }, `REST_KEY="${OWN.REST_CERT}": takes`],
  [{ REST_CA: 's3cret+/8A=' }, 'REST_CA: takes'],
  [{ ...OWN, REST_KEY: '---BEGIN PRIVATE KEY--- s3cret' }, 'REST_KEY: takes'],
  [{ REST_KEY: OWN.REST_KEY }, 'REST_CERT and REST_KEY: set both, or none of them'],
  [{ REST_PROXY: 'http://a:s3cret@b/c' }, 'REST_PROXY="http://[hidden]@b/c": takes'],
])('a start with %j is refused in one line', async (env, line) => {
  const error = await startTestGateway(NOWHERE, env).catch(String);

  expect(error).toContain(`ConfigError: ${line}`);
  expect(error).not.toMatch(/\n|s3cret/);
});
