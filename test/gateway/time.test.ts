import { expect, test } from 'vitest';
import { askOnce } from '../support/ask-once.ts';
import { codes, startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireContact, wireConversation, wireMessage } from '../support/wire.ts';

const SECONDS = 1_772_357_400;
const ISO = '2026-03-01T09:30:00.000Z';

test.each([
  ['seconds', 1],
  ['milliseconds', 1000],
  ['microseconds', 1_000_000],
])('TIMESTAMP_UNIT=%s adds a date-time to every timestamp', async (unit, factor) => {
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
  await using gateway = await startTestGateway(upstream.url, { TIMESTAMP_UNIT: unit });

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
});

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

test('without TIMESTAMP_UNIT a date-time is an error that names the setting', async () => {
  const answer = await readIso('createdAtIso', { created_at: 1700000000 });

  expect(answer.data.message).toEqual({ createdAt: 1700000000, createdAtIso: null });
  expect(codes(answer)).toEqual({ 'message.createdAtIso': 'NOT_CONFIGURED' });
  expect(answer.errors?.[0]?.message).toContain('TIMESTAMP_UNIT');
});

test('a timestamp that is not a date in the unit has no date-time, only its integer', async () => {
  const created_at = Number.MAX_SAFE_INTEGER;

  const answer = await readIso('createdAtIso', { created_at }, 'seconds');

  expect(answer.data.message).toEqual({ createdAt: created_at, createdAtIso: null });
  expect(codes(answer)).toEqual({ 'message.createdAtIso': 'NOT_CONFIGURED' });
});
