import { expect, test } from 'vitest';
import { askOnce } from '../support/ask-once.ts';
import { codes, startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const SECONDS = 1_772_357_400;
const ISO = '2026-03-01T09:30:00.000Z';
const PER_SECOND = { seconds: 1, milliseconds: 1000, microseconds: 1_000_000 };

test.each([
  ['seconds', 1, 'seconds'],
  ['milliseconds', 1000, 'milliseconds'],
  ['microseconds', 1_000_000, 'microseconds'],
  ['seconds', 1, undefined],
  ['milliseconds', 1000, undefined],
  ['microseconds', 1_000_000, undefined],
])(
  'a service that counts %s (%i) has a date-time beside every timestamp with TIMESTAMP_UNIT=%s',
  async (_unit, factor, setting) => {
    const at = SECONDS * factor;
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1', {
        created_at: at,
        read_at: at,
        updated_at: at,
        contact: wireContact({ created_at: at, last_active_at: at }),
      }),
      'GET /v1/conversations/c1': wireConversation('c1', {
        created_at: at,
        last_active_at: at,
        last_opened_at: at,
        archived_at: at,
      }),
    });
    await using gateway = await startTestGateway(upstream.url, {
      TIMESTAMP_UNIT: setting,
    });

    const { data, errors } = await gateway.ask(`{
    message(id: "m1") {
      createdAt createdAtIso readAtIso updatedAtIso contact { createdAtIso lastActiveAtIso }
    }
    conversation(id: "c1") { createdAtIso lastActiveAtIso lastOpenedAtIso archivedAtIso }
  }`);

    expect(errors).toBeUndefined();
    expect(data).toEqual({
      message: {
        createdAt: at,
        createdAtIso: ISO,
        readAtIso: ISO,
        updatedAtIso: ISO,
        contact: { createdAtIso: ISO, lastActiveAtIso: ISO },
      },
      conversation: {
        createdAtIso: ISO,
        lastActiveAtIso: ISO,
        lastOpenedAtIso: ISO,
        archivedAtIso: ISO,
      },
    });
  },
);

/** Reads a message with one date-time. */
const readIso = (field: string, message: Record<string, unknown>, unit?: string) =>
  askOnce(
    `{ message(id: "m1") { createdAt ${field} } }`,
    { body: wireMessage('m1', message) },
    { env: { TIMESTAMP_UNIT: unit } },
  );

test('a timestamp that is null has the date-time null, even without TIMESTAMP_UNIT', async () => {
  const { data, errors } = await readIso('readAtIso', { read_at: null });

  expect(errors).toBeUndefined();
  expect(data.message.readAtIso).toBeNull();
});

test.each([
  ['2001-01-01T00:00:00.000Z', ['seconds', 'milliseconds', 'microseconds']],
  ['2001-09-09T01:46:40.000Z', ['seconds', 'milliseconds', 'microseconds']],
  ['2038-01-19T03:14:08.000Z', ['seconds', 'milliseconds', 'microseconds']],
  ['2286-12-31T23:59:59.000Z', ['seconds', 'milliseconds']],
  // 2^53-1 microseconds are a day in June 2255.
  ['2255-06-05T00:00:00.000Z', ['microseconds']],
] as const)('the size of the timestamp of %s shows its unit: %j', async (iso, units) => {
  const seconds = Date.parse(iso) / 1000;
  for (const unit of units) {
    const { data, errors } = await readIso('createdAtIso', {
      created_at: seconds * PER_SECOND[unit],
    });

    expect(errors).toBeUndefined();
    expect(data.message.createdAtIso).toBe(iso);
  }
});

test('the unit of an object is that of its creation: another timestamp may be small or huge', async () => {
  const { data } = await readIso('readAtIso updatedAtIso', {
    created_at: 1_772_357_400_000,
    read_at: 1_772_357_400,
    updated_at: 0,
  });

  expect(data.message).toMatchObject({
    readAtIso: '1970-01-21T12:19:17.400Z',
    updatedAtIso: '1970-01-01T00:00:00.000Z',
  });
});

test('where the creation does not show the unit, the timestamp itself may', async () => {
  const { data } = await readIso('readAtIso', { created_at: 0, read_at: SECONDS });

  expect(data.message.readAtIso).toBe(ISO);
});

test('where neither shows the unit, it is NOT_CONFIGURED and names the setting, whatever other answers have shown', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/old': wireMessage('old', { created_at: 86_400 }),
    'GET /v1/messages': wirePage([wireMessage('m1', { created_at: SECONDS })]),
  });
  await using gateway = await startTestGateway(upstream.url);
  const old = '{ message(id: "old") { createdAt createdAtIso } }';

  const before = await gateway.ask(old);
  await gateway.ask('{ messages { nodes { id } } }');
  const after = await gateway.ask(old);

  for (const answer of [before, after]) {
    expect(answer.data.message).toEqual({ createdAt: 86_400, createdAtIso: null });
    expect(codes(answer)).toEqual({ 'message.createdAtIso': 'NOT_CONFIGURED' });
    expect(answer.errors?.[0]?.message).toContain('TIMESTAMP_UNIT');
  }
});

test('if a timestamp in the unit of the creation is after the year 9999, its own size shows its unit', async () => {
  const { data, errors } = await readIso('readAtIso updatedAtIso', {
    created_at: SECONDS,
    read_at: SECONDS * 1000,
    updated_at: SECONDS * 1_000_000,
  });

  expect(errors).toBeUndefined();
  expect(data.message).toMatchObject({ readAtIso: ISO, updatedAtIso: ISO });
});

test.each([253_402_300_800, -62_167_219_201])(
  'a year that has not four digits makes no date-time: %i',
  async (read_at) => {
    const answer = await readIso('readAtIso', { read_at }, 'seconds');

    expect(answer.data.message.readAtIso).toBeNull();
    expect(codes(answer)).toEqual({ 'message.readAtIso': 'NOT_CONFIGURED' });
  },
);

test('TIMESTAMP_UNIT wins over the size of a timestamp', async () => {
  const { data } = await readIso(
    'createdAtIso',
    { created_at: SECONDS * 1000 },
    'microseconds',
  );

  expect(data.message.createdAtIso).toBe('1970-01-21T12:19:17.400Z');
});

test('a timestamp that is not a date in the unit has no date-time, only its integer', async () => {
  const created_at = Number.MAX_SAFE_INTEGER;

  const answer = await readIso('createdAtIso', { created_at }, 'seconds');

  expect(answer.data.message).toEqual({ createdAt: created_at, createdAtIso: null });
  expect(codes(answer)).toEqual({ 'message.createdAtIso': 'NOT_CONFIGURED' });
});
