import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { servePlain } from '../support/http.ts';
import { startTlsService } from '../support/tls-service.ts';
import { answering, startUpstream, type UpstreamAnswer } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';
import { expectMisfit, runCheck, runProbe, TOKEN } from './support.ts';

test('http for https', async () => {
  await using service = await startTlsService('authority');
  const url = service.url.replace('https:', 'http:');

  expectMisfit(
    await runCheck({ MESSAGING_URL: url }),
    `it speaks https at ${service.url}, and MESSAGING_URL says http`,
    `Check again with MESSAGING_URL=${service.url}\n`,
  );
});

test('http for https, to a server that says so with a 400', async () => {
  // The same port speaks TLS, and answers plain HTTP itself, as nginx does.
  await using service = await startTlsService('authority');
  const { port: tlsPort } = new URL(service.url);
  await using server = await servePlain((socket) => {
    socket.once('data', (chunk) => {
      if (chunk[0] !== 0x16) {
        socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      const inner = connect(Number(tlsPort), '127.0.0.1');
      inner.on('error', () => {});
      socket.once('close', () => inner.destroy());
      inner.write(chunk);
      socket.pipe(inner).pipe(socket);
    });
  });

  const checked = await runCheck({ MESSAGING_URL: `http://127.0.0.1:${server.port}` });

  expectMisfit(
    checked,
    `it speaks https at https://127.0.0.1:${server.port}`,
    `Check again with MESSAGING_URL=https://127.0.0.1:${server.port}\n`,
  );
});

// security: token-in-check
test('https for http, and the token does not leave without TLS', async () => {
  await using service = await startUpstream({});

  const checked = await runCheck({
    MESSAGING_URL: service.url.replace('http:', 'https:'),
  });

  expectMisfit(
    checked,
    'it does not speak https at',
    `Check again with MESSAGING_URL=${service.url}\n`,
  );
  expect(service.calls.map(({ token }) => token)).not.toContain(`Bearer ${TOKEN}`);
});

test.each(['/api', '/v2/api', '/v1/messages', '/a/b/c/d'])(
  'a path too many: %s',
  async (path) => {
    await using service = await startEmbeddedService();

    expectMisfit(
      await runCheck({ MESSAGING_URL: service.url + path }),
      'the path of MESSAGING_URL has a part too many',
      `Set MESSAGING_URL=${service.url}\n`,
    );
  },
);

test('a path that leads nowhere', async () => {
  await using service = await startUpstream({});
  const url = `${service.url}/other`;

  expectMisfit(
    await runCheck({ MESSAGING_URL: url }),
    `there is no /v1/conversations below ${url} (404: unknown)`,
    'Correct the host and the path of MESSAGING_URL',
  );
});

test.each([
  [
    'host',
    'http://nowhere.invalid',
    "the service's host name is unknown (DNS) (tried nowhere.invalid:80)",
    'host',
  ],
  [
    'port',
    'http://127.0.0.1:1',
    'the connection was refused (tried 127.0.0.1:1)',
    'Start the service, or correct the host and the port',
  ],
])('a wrong %s', async (_what, url, words, change) => {
  expectMisfit(await runCheck({ MESSAGING_URL: url }), words, change);
  await expectProbeRefusal(url, words);
});

/** The probe says the same in one line, and sends its user to the check. */
async function expectProbeRefusal(url: string, words: string): Promise<void> {
  const { status, out, err } = await runProbe([url]);

  expect(err.trimEnd().split('\n').at(-1)).toContain(`does not fit: ${words}`);
  expect(err).toMatch(/"messaging-graphql check" says what to change\.\n$/);
  expect(err).not.toContain(TOKEN);
  expect([status, out]).toEqual([1, '']);
}

test('a port of another protocol', async () => {
  await using server = await servePlain((socket) => {
    socket.write('SSH-2.0-OpenSSH_9.9\r\n');
  });

  const checked = await runCheck({ MESSAGING_URL: `http://127.0.0.1:${server.port}` });

  expectMisfit(checked, 'the answer was not valid HTTP', 'another kind of service');
});

test('a service that never completes a TLS handshake', async () => {
  await using server = await servePlain();
  const url = `https://127.0.0.1:${server.port}`;

  expectMisfit(
    await runCheck({ MESSAGING_URL: url, REST_TIMEOUT_MS: '150' }),
    `no connection was made within 150 ms (tried 127.0.0.1:${server.port})`,
    'firewall',
  );
});

test.each([
  [{ status: 401 }, 'the service refused it (401)'],
  [{ status: 404 }, 'there is no /v1/conversations below'],
  [{ delayMs: 60_000 }, 'it accepts connections, but did not answer'],
])('after %j for one list, the check goes on', async (answer, words) => {
  await using service = await startUpstream({
    'GET /v1/conversations': answering(answer),
    'GET /v1/messages': wirePage([wireMessage('m1'), wireMessage('m2')], true),
  });
  const settings = { PAGING: 'ofset', PAGING_PARAM: 'skip', MAX_LIMIT: '60' };
  const env = { MESSAGING_URL: service.url, REST_TIMEOUT_MS: '1000', ...settings };

  const { out } = await runCheck({ ...env, TIMESTAMP_UNIT: 'milliseconds' });

  const faults = [
    'PAGING="ofset": takes one of',
    words,
    'TIMESTAMP_UNIT=milliseconds, but the service counts seconds',
    'MAX_LIMIT=60, but limit=60 returns only 2 items',
    'paging of messages with "limit" alone, because no usual parameter is known to work: all after the first 2 are out of reach',
  ].map((fault) => expect.stringContaining(`does not fit: ${fault}`));
  expect(out.match(/does not fit: .*|no effect/g)).toEqual(faults);
});

test('each fault of the items is one finding, with the type that came and not the value', async () => {
  const sent = ['2023-11-14 s3cret', null, { s3cret: 1 }, 1.5, undefined, true, [1]];
  const dates = sent.map((date, at) => wireConversation(`c${at}`, { created_at: date }));
  const reactions = { heart: 's3cret' };
  const malformed = [{ contact: 'ann' }, { reactions }, { reactions: [reactions] }];
  const changes = [...malformed, { attachments: [null] }];
  await using service = await startUpstream({
    'GET /v1/conversations': wirePage(dates),
    'GET /v1/messages': wirePage(changes.map((change) => wireMessage('m', change))),
  });

  const { out } = await runCheck({ MESSAGING_URL: service.url });

  const date = 'created_at is not an integer up to 2^53-1, but';
  expect(out.match(/(?<=does not fit: GET .* invalid data: ).*/g)).toEqual([
    ...['a string', 'null', 'an object', 'a fraction'].map((kind) => `${date} ${kind}`),
    'created_at is missing',
    ...['true or false', 'a list'].map((kind) => `${date} ${kind}`),
    'contact is not an object, but a string',
    'reactions is not a list, but an object',
    'reactions[].* is not a list of strings, but a string',
    'attachments[0] is null',
  ]);
  expect(out).toContain('To change: Let the service answer as its interface says');
  expect(out).toContain('learned   timestamps: seconds');
  expect(out).not.toContain('s3cret');
});

const HTML = '<!doctype html><title>Welcome</title>';

test.each<[what: string, answer: UpstreamAnswer, words: string, change: string]>([
  ['403', { status: 403 }, 'it may not read /v1/conversations (403)', 'Use a token that'],
  [
    'a page for browsers',
    { body: HTML, headers: { 'content-type': 'text/html' } },
    'it answered with a page for browsers (HTML)',
    'this is a website',
  ],
  [
    'text',
    { body: 'It works!' },
    'it answered GET /v1/conversations with something',
    'Correct',
  ],
  [
    'other JSON',
    { body: { items: [] } },
    'it answered GET /v1/conversations with JSON that is not a list',
    'Correct',
  ],
  [
    '422',
    { status: 422, body: 'no scope' },
    'it refused GET /v1/conversations (422: no scope)',
    'what the service demands',
  ],
  [
    '500',
    { status: 500, body: { message: 'at line 7' } },
    'it fails: it answered 500',
    'Ask the people',
  ],
  [
    'a redirect to https',
    {
      status: 301,
      headers: { location: 'https://api.example/v1/conversations?limit=10' },
    },
    'it redirects (301), and the gateway follows no redirect, to https://api.example',
    'Set MESSAGING_URL=https://api.example\n',
  ],
  [
    'a redirect to a login page',
    { status: 302, headers: { location: 'https://u:p@sso.example/login?next=secret' } },
    'it redirects (302), and the gateway follows no redirect, to https://sso.example/login',
    'this may be a login page',
  ],
  [
    'a redirect to nowhere',
    { status: 302 },
    'it redirects (302)',
    'Correct MESSAGING_URL',
  ],
  [
    'a closed connection',
    { broken: 'before' },
    'the connection was closed',
    'why the service closes',
  ],
])('a service that answers with %s', async (_what, answer, words, change) => {
  await using service = await startUpstream(() => answer);

  const checked = await runCheck({ MESSAGING_URL: service.url });

  expectMisfit(checked, words, change);
  expect(checked.out).not.toMatch(/line 7|u:p|secret/);
  await expectProbeRefusal(service.url, words);
});

test.each([
  ['expired', 'expired'],
  [`unknown token ${TOKEN}`, 'unknown token [redacted]'],
  [`${'x'.repeat(190)} ${TOKEN}`, `${'x'.repeat(190)} [redacte\u2026`],
])('a token that the service refuses with the words: %s', async (message, shown) => {
  await using service = await startUpstream(() => ({ status: 401, body: { message } }));

  const checked = await runCheck({ MESSAGING_URL: service.url });
  const probed = await runProbe([service.url]);

  const change = 'Set MESSAGING_TOKEN to a valid one.';
  expect(checked.out.match(/does not fit: /g)).toHaveLength(1);
  expectMisfit(checked, `the service refused it (401: ${shown})`, change);
  expect(probed.err).toContain(`\nThe service rejected this token (401). ${change}\n`);
  expect(probed.err).not.toContain(TOKEN);
  expect([probed.status, probed.out]).toEqual([1, '']);
});

test.each<
  [what: string, answer: UpstreamAnswer, words: string, change: string, env?: object]
>([
  [
    'with has_more as text',
    { body: { data: [], has_more: 'false' } },
    'GET /v1/conversations answered with invalid data: has_more is not true or false',
    'another service',
  ],
  [
    'with too much',
    { body: 'x'.repeat(100) },
    'its answer cannot be read: GET /v1/conversations answered more than 50 bytes',
    'MAX_RESPONSE_BYTES',
    { MAX_RESPONSE_BYTES: '50' },
  ],
  [
    'never',
    { delayMs: 60_000 },
    'it accepts connections, but did not answer within 150 ms',
    'raise REST_TIMEOUT_MS',
    { REST_TIMEOUT_MS: '150' },
  ],
  [
    'that it limits calls, for longer than the check waits',
    { status: 429, headers: { 'retry-after': '60' } },
    'the check ended early: the service limits calls (429, wait 60 s)',
    'Try again later',
  ],
])('a service that answers %s', async (_what, answer, words, change, env = {}) => {
  await using service = await startUpstream(() => answer);

  expectMisfit(await runCheck({ MESSAGING_URL: service.url, ...env }), words, change);
});

// security: password-in-address
test('wrong settings, one line each, without a password', async () => {
  const checked = await runCheck({
    MESSAGING_URL: 'https://ann:s3cret@api.example',
    PORT: 'abc',
  });

  const change = 'Set it as this line says';
  expectMisfit(checked, 'PORT="abc": takes an integer', change);
  expectMisfit(checked, 'MESSAGING_URL="https://[hidden]@api.example"', change);
  expect(checked.out).not.toContain('s3cret');
});

test('no service', async () => {
  expectMisfit(
    await runCheck({}),
    'MESSAGING_URL is not set',
    'Set MESSAGING_URL to the base address',
  );
});
