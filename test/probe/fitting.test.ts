import { expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';
import { runCheck, TOKEN } from './run.ts';

test('a service that fits: the report says so in words, and the status is 0', async () => {
  const lines: string[] = [];
  await using service = await startEmbeddedService({
    answers: { paging: 'offset', maxLimit: 50 },
    onCall: ({ method, url }) => lines.push(`${method} ${url}`),
  });

  const { status, out, err } = await runCheck({
    MESSAGING_URL: service.url,
    PAGING: 'offset',
  });

  expect(out.split('\n')).toEqual([
    'settings  all are valid',
    `service   it answers at ${service.url}`,
    'token     the service accepts it, and shows 10 or more conversations and 10 or more messages',
    expect.stringMatching(
      /^learned {3}timestamps: seconds \(as seconds since 1970, \d+ /,
    ),
    'learned   fields: as in the interface',
    'learned   pages: limit=100 returns only 50 items; the gateway notices that by itself',
    'learned   paging: PAGING=offset with the parameter "offset" fits',
    'All fits.',
    '',
  ]);
  expect(status).toBe(0);
  expect(lines.length).toBeLessThanOrEqual(6);
  expect(lines.every((line) => line.startsWith('GET /v1/'))).toBe(true);
  expect(err.trimEnd().split('\n')).toHaveLength(lines.length);
  expect(out + err).not.toContain(TOKEN);
});

test.each([
  [{ paging: 'starting_after' }, { PAGING: 'starting_after' }],
  [
    { paging: 'starting_after', pagingParam: 'after' },
    { PAGING: 'starting_after', PAGING_PARAM: 'after' },
  ],
  [{ paging: 'page' }, { PAGING: 'page' }],
  [{ paging: 'none' }, {}],
  [{ maxLimit: 20, aboveMaxLimit: 422 }, {}],
  [{ maxLimit: 20, aboveMaxLimit: 422 }, { MAX_LIMIT: '20' }],
  [{ timestampUnit: 'microseconds' }, { TIMESTAMP_UNIT: 'microseconds' }],
  [{ order: 'oldest' }, {}],
] as const)('a service with %j fits %j', async (answers, env) => {
  await using service = await startEmbeddedService({ answers });

  const { status, out } = await runCheck({ MESSAGING_URL: service.url, ...env });

  expect(out.trimEnd().split('\n').at(-1)).toBe('All fits.');
  expect(status).toBe(0);
});

test('a service below a path fits', async () => {
  await using service = await startUpstream({
    'GET /api/v1/conversations': wirePage([]),
    'GET /api/v1/messages': wirePage([]),
  });

  const { status, out } = await runCheck({ MESSAGING_URL: `${service.url}/api/` });

  expect(out).toContain('shows 0 conversations and 0 messages');
  expect(status).toBe(0);
});

test('a service that lists messages of one conversation only fits, and the report says so', async () => {
  await using service = await startUpstream({
    'GET /v1/conversations': wirePage([wireConversation('c1')]),
    'GET /v1/messages?limit=10': { error: 'conversation_id is missing' },
    'GET /v1/messages?conversation_id=c1&limit=10': wirePage([wireMessage('m1')]),
    'GET /v1/messages?conversation_id=c1&limit=100': wirePage([wireMessage('m1')]),
  });

  const { status, out } = await runCheck({ MESSAGING_URL: service.url });

  expect(out).toContain('the service lists those of one conversation, and not all');
  expect(status).toBe(0);
});

test('fields that differ from the interface are shown by their names', async () => {
  await using service = await startUpstream({
    'GET /v1/conversations': wirePage([wireConversation('c1', { topic: 's3cret' })]),
    'GET /v1/messages': wirePage([
      wireMessage('m1', { message: 7, read_at: undefined }),
      // If all were malformed, the service would not fit.
      wireMessage('m2'),
    ]),
  });

  const { status, out } = await runCheck({ MESSAGING_URL: service.url });

  expect(out).toContain('fields in the interface, but not sent: message.read_at');
  expect(out).toContain('fields sent with another type: message.message: number');
  expect(out).toContain(
    'fields sent, but not in the interface: conversation.topic: string',
  );
  expect(out).not.toContain('s3cret');
  expect(status).toBe(0);
});

test('a doubtful setting is shown, and the rest can still fit', async () => {
  await using service = await startEmbeddedService();

  const { status, out } = await runCheck({
    MESSAGING_URL: service.url,
    MAX_RESTCALLS: '5',
    PAGING: 'limit',
    PAGING_PARAM: 'since',
  });

  expect(out).toContain('MAX_RESTCALLS is not a setting. Did you mean MAX_REST_CALLS?');
  expect(out).toContain('PAGING_PARAM has no effect with PAGING=limit');
  expect(status).toBe(0);
});

test('the embedded service fits if it is meant', async () => {
  const { status, out } = await runCheck({ MESSAGING_URL: 'embedded' });

  expect(out).toContain('service   the embedded one');
  expect(status).toBe(0);
});

test('an argument is refused and not repeated: it may be a token', async () => {
  const { status, out, err } = await runCheck({}, { words: ['a-secret-token'] });

  expect(status).toBe(1);
  expect(out).toBe('');
  expect(err).toContain('takes no arguments');
  expect(err).not.toContain('a-secret-token');
});

test('without MESSAGING_TOKEN it asks for a token, and shows it nowhere', async () => {
  await using service = await startUpstream(({ token }) => ({
    status: 401,
    body: { message: `not valid: ${token}` },
  }));

  const { status, out, err } = await runCheck(
    { MESSAGING_URL: service.url, MESSAGING_TOKEN: '' },
    { typed: 'a-typed-token\r' },
  );

  expect(err).toContain('Access token (not shown): ');
  expect(out).toContain('the service refused it (401: not valid: Bearer [redacted])');
  expect(out + err).not.toContain('a-typed-token');
  expect(status).toBe(1);
});

test('no output contains a token that the service repeats', async () => {
  await using service = await startUpstream({
    'GET /v1/conversations': wirePage([wireConversation('c1', { [TOKEN]: TOKEN })]),
    'GET /v1/messages': wirePage([
      wireMessage('m1', { [TOKEN.replaceAll('-', '_')]: 1 }),
    ]),
  });

  const { out, err } = await runCheck({ MESSAGING_URL: service.url });

  expect(out + err).not.toContain(TOKEN);
});
