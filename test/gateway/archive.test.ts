import { expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { codes, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wirePage } from '../support/wire.ts';

const SECONDS = 1_772_357_400;
const ISO = '2026-03-01T09:30:00.000Z';
const READ = 'GET /v1/conversations/c1';
const WRITE = 'PUT /v1/conversations/c1';
const UNITS = [
  ['seconds', 1],
  ['milliseconds', 1000],
  ['microseconds', 1_000_000],
] as const;

const archive = (gateway: TestGateway, input: object, token = 'ann-token') =>
  gateway.ask(
    `mutation ($input: UpdateConversationInput!) {
      updateConversation(input: $input) { conversation { archivedAt archivedAtIso } }
    }`,
    {
      token,
      variables: { input: { id: 'c1', ...input } },
      extensions: { cost: true },
    },
  );

/** A service with the conversation c1, created now in its unit, which stores what a PUT sends. */
async function startService(perSecond = 1, created = SECONDS * perSecond) {
  return startUpstream(({ line, form }) => {
    const archived = new URLSearchParams(form).get('archived_at') || null;
    const conversation = wireConversation('c1', {
      created_at: created,
      archived_at: archived && Number(archived),
    });
    if (line.endsWith('/c1')) return { body: conversation };
    return { body: wirePage([conversation]) };
  });
}

const forms = ({ calls }: { calls: readonly { line: string; form: string }[] }) =>
  calls.filter(({ line }) => line === WRITE).map(({ form }) => form);

test.each(UNITS)(
  'a date-time is written in the configured unit %s, with no call more',
  async (unit, perSecond) => {
    await using upstream = await startService(perSecond);
    await using gateway = await startTestGateway(upstream.url, { TIMESTAMP_UNIT: unit });

    const { data } = await archive(gateway, { archivedAtIso: ISO });

    expect(data.updateConversation.conversation).toEqual({
      archivedAt: SECONDS * perSecond,
      archivedAtIso: ISO,
    });
    expect(upstream.lines()).toEqual([WRITE]);
  },
);

test.each(UNITS)(
  'without a setting, the conversation is read first, with the same token, and shows the unit: %s',
  async (_unit, perSecond) => {
    await using upstream = await startService(perSecond);
    await using gateway = await startTestGateway(upstream.url);

    const { extensions } = await archive(gateway, { archivedAtIso: ISO }, 'grace-token');

    expect(upstream.lines()).toEqual([READ, WRITE]);
    expect(upstream.calls[0]?.token).toBe('Bearer grace-token');
    expect(forms(upstream)).toEqual([`archived_at=${SECONDS * perSecond}`]);
    expect(extensions.cost).toMatchObject({ estimated: 2, actual: 2 });
  },
);

test('the unit that other objects show is not written, whoever read them', async () => {
  await using upstream = await startUpstream({
    'GET /v1/conversations': wirePage([
      wireConversation('c2', { created_at: SECONDS, archived_at: SECONDS }),
    ]),
    [READ]: wireConversation('c1', { created_at: SECONDS * 1000 }),
    [WRITE]: wireConversation('c1', { created_at: SECONDS * 1000 }),
  });
  await using gateway = await startTestGateway(upstream.url);
  const list = '{ conversations { nodes { archivedAtIso } } }';
  await gateway.ask(list, { token: 'bob-token' });
  await gateway.ask(list);

  await archive(gateway, { archivedAtIso: ISO });

  expect(upstream.lines().slice(2)).toEqual([READ, WRITE]);
  expect(forms(upstream)).toEqual([`archived_at=${SECONDS * 1000}`]);
});

test('a date-time that no size shows is an error, whatever the objects of another caller show', async () => {
  await using upstream = await startUpstream(({ token }) => ({
    body: wireConversation('c1', {
      created_at: token === 'Bearer bob-token' ? SECONDS : 0,
      archived_at: 5,
    }),
  }));
  await using gateway = await startTestGateway(upstream.url);
  const query = '{ conversation(id: "c1") { archivedAtIso } }';
  await gateway.ask(query, { token: 'bob-token' });

  expect(codes(await gateway.ask(query))).toEqual({
    'conversation.archivedAtIso': 'NOT_CONFIGURED',
  });
});

test('nothing is written where the conversation does not show the unit, and the error names the setting', async () => {
  await using upstream = await startService(1, 86_400);
  await using gateway = await startTestGateway(upstream.url);

  const answer = await archive(gateway, { archivedAtIso: ISO, isMuted: true });

  expect(codes(answer)).toEqual({ updateConversation: 'NOT_CONFIGURED' });
  expect(answer.errors?.[0]?.message).toContain('TIMESTAMP_UNIT');
  expect(upstream.lines()).toEqual([READ]);
});

test('nothing is written where MAX_REST_CALLS leaves no call to find the unit', async () => {
  await using upstream = await startService();
  await using gateway = await startTestGateway(upstream.url, { MAX_REST_CALLS: '1' });

  const answer = await archive(gateway, { archivedAtIso: ISO });

  expect(codes(answer)).toEqual({ updateConversation: 'NOT_CONFIGURED' });
  expect(answer.errors?.[0]?.message).toContain('MAX_REST_CALLS');
  expect(upstream.calls).toEqual([]);
});

test.each([
  [404, 'NOT_FOUND'],
  [410, 'NOT_FOUND'],
  [401, 'UNAUTHENTICATED'],
  [403, 'FORBIDDEN'],
  [503, 'UPSTREAM_ERROR'],
])(
  'a conversation whose read is refused with %i is not written: %s',
  async (status, code) => {
    await using upstream = await startUpstream({
      [READ]: answering({ status, body: { error: 'no' } }),
    });
    await using gateway = await startTestGateway(upstream.url, { REST_RETRIES: '0' });

    const answer = await archive(gateway, { archivedAtIso: ISO });

    expect(codes(answer)).toEqual({ updateConversation: code });
    expect(answer.errors?.[0]?.extensions.outcome).toBeUndefined();
    expect(upstream.lines()).toEqual([READ]);
  },
);

test.each([
  { archivedAtIso: ISO, archivedAt: SECONDS },
  { archivedAtIso: null, archivedAt: SECONDS },
  { archivedAtIso: ISO, archivedAt: null },
  { archivedAtIso: ISO, isPinned: null },
  { archivedAtIso: ISO, isMuted: null },
  { archivedAtIso: ISO, pinnedMessageId: '..' },
  { archivedAtIso: ISO, id: '..' },
])('%j is refused before any call', async (input) => {
  await using upstream = await startService();
  await using gateway = await startTestGateway(upstream.url);

  const answer = await archive(gateway, input);

  expect(codes(answer)).toEqual({ updateConversation: 'BAD_USER_INPUT' });
  expect(upstream.calls).toEqual([]);
});

test('null takes a conversation out of the archive, which needs no unit', async () => {
  await using upstream = await startService();
  await using gateway = await startTestGateway(upstream.url);

  const { errors } = await archive(gateway, { archivedAtIso: null });

  expect(errors).toBeUndefined();
  expect(upstream.lines()).toEqual([WRITE]);
  expect(forms(upstream)).toEqual(['archived_at=']);
});

test.each([
  ['2026-03-01T09:30:00Z', SECONDS * 1000],
  ['2026-03-01t09:30:00z', SECONDS * 1000],
  ['2026-03-01T10:30:00+01:00', SECONDS * 1000],
  ['2026-03-01T04:00:00.5-05:30', SECONDS * 1000 + 500],
  ['2026-03-01T09:30:00.1239Z', SECONDS * 1000 + 123],
  ['1969-12-31T23:59:59.250Z', -750],
  ['0000-01-01T00:00:00Z', -62_167_219_200_000],
  ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
])('%s is %i milliseconds', async (archivedAtIso, expected) => {
  await using upstream = await startService(1000);
  await using gateway = await startTestGateway(upstream.url, {
    TIMESTAMP_UNIT: 'milliseconds',
  });

  const { errors } = await archive(gateway, { archivedAtIso });

  expect(errors).toBeUndefined();
  expect(forms(upstream)).toEqual([`archived_at=${expected}`]);
});

test.each([
  ['seconds', '2026-03-01T09:30:00.999Z', SECONDS],
  ['microseconds', '2026-03-01T09:30:00.1234567Z', SECONDS * 1_000_000 + 123_456],
])(
  'in %s, digits that are too fine are cut: %s',
  async (unit, archivedAtIso, expected) => {
    await using upstream = await startService();
    await using gateway = await startTestGateway(upstream.url, { TIMESTAMP_UNIT: unit });

    await archive(gateway, { archivedAtIso });

    expect(forms(upstream)).toEqual([`archived_at=${expected}`]);
  },
);

test('a date that no integer of the unit can hold is refused', async () => {
  await using upstream = await startService();
  await using gateway = await startTestGateway(upstream.url, {
    TIMESTAMP_UNIT: 'microseconds',
  });

  const answer = await archive(gateway, { archivedAtIso: '2300-01-01T00:00:00Z' });

  expect(codes(answer)).toEqual({ updateConversation: 'BAD_USER_INPUT' });
  expect(answer.errors?.[0]?.message).toContain('microseconds');
  expect(upstream.calls).toEqual([]);
});

test.each([
  '2026-03-01',
  '2026-03-01T09:30:00',
  '2026-03-01T09:30Z',
  '2026-03-01 09:30:00Z',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-03-01T24:00:00Z',
  '2026-03-01T23:59:60Z',
  '2026-03-01T09:30:00.Z',
  '2026-03-01T09:30:00+24:00',
  '2026-03-01T09:30:00+0100',
  '+002026-03-01T09:30:00Z',
  ' 2026-03-01T09:30:00Z',
  '2026-03-01T09:30:00Z\n',
  '',
  'now',
  SECONDS,
  true,
  {},
  [ISO, ISO],
])('%j is no DateTime: nothing is sent', async (archivedAtIso) => {
  await using upstream = await startService();
  await using gateway = await startTestGateway(upstream.url);

  const variable = await archive(gateway, { archivedAtIso });
  const literal = await gateway.ask(
    `mutation { updateConversation(input: { id: "c1", archivedAtIso: ${JSON.stringify(archivedAtIso)} }) { conversation { id } } }`,
  );

  expect(variable.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  expect(variable.errors?.[0]?.message).toContain('2026-03-01T09:30:00Z');
  expect(literal.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  expect(upstream.calls).toEqual([]);
});

test('a literal date-time is as good as a variable, in front of the embedded service', async () => {
  await using service = await startEmbeddedService({
    answers: { timestampUnit: 'milliseconds' },
  });
  await using gateway = await startTestGateway(service.url);

  const { data } = await gateway.ask(
    `mutation {
      updateConversation(input: { id: "conv_lisbon_trip", archivedAtIso: "${ISO}" }) {
        conversation { archivedAt archivedAtIso }
      }
    }`,
    { token: 'ada-sample-token' },
  );

  expect(data.updateConversation.conversation).toEqual({
    archivedAt: SECONDS * 1000,
    archivedAtIso: ISO,
  });
});
