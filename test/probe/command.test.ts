import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { loadConfig } from '../../src/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';
import { expectMisfit, runCheck, runProbe, TOKEN } from './support.ts';

// security: secret-headers
test('REST_HEADERS go with every call, and are not shown', async () => {
  await using service = await startUpstream(() => ({
    body: wirePage([], false),
    headers: { 'x-version': 'key 0123456789' },
  }));
  const env = { REST_HEADERS: 'X-Api-Key: 0123456789' };
  const { out, err, status } = await runProbe([service.url, '--json'], { env });
  const checked = await runCheck({ MESSAGING_URL: service.url, ...env });
  const wrong = await runProbe([service.url], { env: { REST_HEADERS: 's3cret' } });

  expect(status).toBe(0);
  expect(service.headers.length).toBeGreaterThan(2);
  for (const sent of service.headers) {
    expect(sent['x-api-key']).toBe('0123456789');
    expect(sent['user-agent']).toMatch(/^messaging-graphql\//);
  }
  expect(out + err + checked.out + checked.err).not.toContain('0123456789');
  expect(wrong.err).toMatch(/^REST_HEADERS: takes headers/);
  expect(wrong.err).not.toContain('s3cret');
});

test('the report goes to stdout, the progress to stderr', async () => {
  await using service = await startEmbeddedService({ answers: { paging: 'offset' } });

  const { status, out, err } = await runProbe([service.url]);

  expect(status).toBe(0);
  expect(err).toMatch(/^At most 60 reads from .*; nothing is written\.\n\[1\/60\] /);
  expect(out).toMatch(/^#\s+open point\s+found\s+sure\?\s+evidence\n-+\n/);
  expect(out).toMatch(/\n8\s+pagination parameter\s+offset\s+certain\s+offset=<number>/);
  expect(out).toContain('\n  PAGING=offset\n');
  expect(out).toMatch(/\n15\s+error format\s+json; unknown id 404, bad {3}/);
  expect(out).toMatch(/The probe made \d+ calls, all of them reads\.\n$/);
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(
    120,
  );
});

test.each<[Partial<Answers>, lines: readonly string[]]>([
  [
    { paging: 'starting_after', pagingParam: 'before', pagingBackParam: 'after' },
    ['PAGING=starting_after', 'PAGING_PARAM=before', 'PAGING_BACK_PARAM=after'],
  ],
  [
    { paging: 'starting_after', maxLimit: 50, unknownCursor: 'first' },
    ['PAGING=starting_after', 'PAGING_UNKNOWN_ID=first', 'MAX_LIMIT=50'],
  ],
  [
    { paging: 'page', pagingParam: 'p', maxLimit: 60, aboveMaxLimit: 400 },
    ['PAGING=page', 'PAGING_PARAM=p', 'MAX_LIMIT=60'],
  ],
])(
  'with %j, --env prints only settings, and the gateway accepts them',
  async (answers, lines) => {
    await using service = await startEmbeddedService({ answers });

    const { out } = await runProbe([service.url, '--env']);

    expect(out.trimEnd().split('\n')).toEqual([
      `MESSAGING_URL=${service.url}`,
      ...lines,
      'TIMESTAMP_UNIT=seconds',
    ]);
    expect(loadConfig(parseEnv(out)).paging).toBe(answers.paging);
  },
);

test('--json prints the whole report', async () => {
  await using service = await startEmbeddedService();

  const { out } = await runProbe(['--json', `${service.url}/`]);

  const report = JSON.parse(out);
  expect(report.points.map(({ number }: { number: number }) => number)).toEqual(
    Array.from({ length: 19 }, (_, index) => index + 1),
  );
  expect(report).toMatchObject({ url: service.url, stopped: null });
});

test('without MESSAGING_TOKEN, a command asks for a token and does not show it', async () => {
  await using service = await startEmbeddedService();
  const env = { MESSAGING_URL: service.url, MESSAGING_TOKEN: '' };
  const typed = `x\u007f\u001b[200~${TOKEN}\u001b[201~\r`;

  const probed = await runProbe([service.url], { env, typed });
  const checked = await runCheck(env, { typed });

  for (const { status, out, err, rawModes } of [probed, checked]) {
    expect(status).toBe(0);
    expect(err).toMatch(/^Access token \(not shown\): \n/);
    expect(out + err).not.toContain(TOKEN);
    expect(rawModes).toEqual([true, false]);
  }
});

test.each([
  ['cancels', '\u0003', 'No token was given.'],
  ['types nothing', '\r', 'No token was given.'],
  ['has no terminal', undefined, 'set MESSAGING_TOKEN'],
  ['types a scheme', 'Bearer abc\r', 'without "Bearer" before it'],
])('a user who %s learns why, and nothing is sent', async (_what, typed, words) => {
  await using service = await startUpstream({});
  const env = { MESSAGING_URL: service.url, MESSAGING_TOKEN: '' };

  const probed = await runProbe([service.url], { env, typed });
  const checked = await runCheck(env, { typed });

  expect(probed.err).toContain(words);
  expect([probed.status, probed.out]).toEqual([1, '']);
  expectMisfit(checked, 'there is none that can be sent', words);
  expect(service.calls).toEqual([]);
});

const URL = 'https://messaging.example';

test.each([
  { words: [], says: 'base address is missing' },
  { words: [URL, 'a-secret-token'], says: 'one address, and no token' },
  { words: ['a-secret-token'], says: 'an http or https address' },
  { words: [URL, '--token=a-secret-token'], says: 'only options' },
  { words: [URL, '--env', '--json'], says: 'not both' },
  { words: [`${URL}/v1`], says: 'without "/v1"' },
  { words: [`${URL}/api/v1/`], says: 'without "/v1"' },
  {
    words: ['https://user:a-secret-token@messaging.example'],
    says: 'without credentials',
  },
  { words: [`${URL}?token=a-secret-token`], says: 'without credentials, query' },
  { words: [`${URL}?`], says: 'without credentials, query' },
  { words: ['ftp://messaging.example'], says: 'an http or https address' },
  { words: [URL], env: { MESSAGING_TOKEN: 'a-secret-token\n' }, says: 'visible ASCII' },
])(
  'for $words, the command prints one line that repeats no secret, and returns 1',
  async ({ words, says, env }) => {
    const { status, out, err } = await runProbe(words, { env: env ?? {} });

    expect(status).toBe(1);
    expect(out).toBe('');
    expect(err).toContain(says);
    expect(err.trimEnd()).not.toContain('\n');
    expect(err).not.toContain('a-secret-token');
  },
);

test('an argument is refused and not repeated: it may be a token', async () => {
  const { status, out, err } = await runCheck({}, { words: ['a-secret-token'] });

  expect(status).toBe(1);
  expect(out).toBe('');
  expect(err).toContain('takes no arguments');
  expect(err).not.toContain('a-secret-token');
});

test('a token of one letter is not removed from the words of the probe', async () => {
  await using service = await startEmbeddedService();

  const { err } = await runProbe([service.url], { env: { MESSAGING_TOKEN: 'a' } });

  expect(err).toContain('[1/60] the first messages');
  expect(err).toContain('Set MESSAGING_TOKEN to a valid one.');
});

/** Starts a service that repeats the token in every text of its responses. */
const startEcho = () =>
  startUpstream(({ token = '' }) => {
    const secret = token.replace('Bearer ', '');
    return {
      headers: {
        'x-ratelimit-limit': secret,
        [`x-ratelimit-${secret}`]: '1',
        deprecation: secret,
      },
      body: {
        has_more: false,
        [secret]: secret,
        data: [
          {
            id: secret,
            message: secret,
            [secret]: secret,
            created_at: 1_700_000_000,
            reactions: [{ [secret]: [secret] }],
            attachments: [{ [secret]: { [`https://${secret}`]: secret } }],
          },
        ],
      },
    };
  });

test.each([[], ['--json'], ['--env']].map((flags) => ({ flags })))(
  'with $flags, no output contains a token that the service repeats',
  async ({ flags }) => {
    await using service = await startEcho();

    const { status, out, err } = await runProbe([service.url, ...flags]);

    expect(status).toBe(0);
    expect(out + err).not.toContain(TOKEN);
    expect(service.lines().every((line) => line.startsWith('GET /v1/'))).toBe(true);
  },
);

test('the output contains no ids, usernames or texts of messages', async () => {
  await using service = await startEmbeddedService();
  const response = await fetch(`${service.url}/v1/messages?limit=1001`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const { data } = (await response.json()) as {
    data: { id: string; message: string; contact: { username: string } }[];
  };

  const { out, err } = await runProbe([service.url, '--json']);

  for (const { id, message, contact } of data) {
    const said = message.length > 12 ? [message] : [];
    for (const text of [id, contact.username, ...said])
      expect(out + err).not.toContain(text);
  }
});

// security: token-in-check
test('the check never shows a token that the service repeats', async () => {
  await using service = await startUpstream({
    'GET /v1/conversations': wirePage([wireConversation('c1', { [TOKEN]: TOKEN })]),
    'GET /v1/messages': wirePage([
      wireMessage('m1', { [TOKEN.replaceAll('-', '_')]: 1 }),
    ]),
  });

  const { out, err } = await runCheck({ MESSAGING_URL: service.url });

  expect(out + err).not.toContain(TOKEN);
});
