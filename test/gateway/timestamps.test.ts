import { describe, expect, test } from 'vitest';
import { askOnce, codes, startScripted } from '../support/gateway.ts';
import { answering } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const SECONDS = 1_772_357_400;
const ISO = '2026-03-01T09:30:00.000Z';
const READ = 'GET /v1/conversations/c1';
const WRITE = 'PUT /v1/conversations/c1';
const UNITS = [
  ['seconds', 1],
  ['milliseconds', 1000],
  ['microseconds', 1_000_000],
] as const;

test('where no size shows the unit, a date-time is NOT_CONFIGURED and names the setting, whatever other objects have shown', async () => {
  await using gateway = await startScripted(({ line, token }) => ({
    body: line.includes('?')
      ? wirePage([wireMessage('m1', { created_at: SECONDS })])
      : wireMessage('old', { created_at: token === 'Bearer bob' ? SECONDS : 86_400 }),
  }));
  const old = '{ message(id: "old") { createdAt createdAtIso } }';

  const before = await gateway.ask(old);
  await gateway.ask('{ messages { nodes { createdAtIso } } }');
  await gateway.ask(old, { token: 'bob' });
  const after = await gateway.ask(old);

  for (const answer of [before, after]) {
    expect(answer.data.message).toEqual({ createdAt: 86_400, createdAtIso: null });
    expect(codes(answer)).toEqual({ 'message.createdAtIso': 'NOT_CONFIGURED' });
    expect(answer.errors?.[0]?.message).toContain('TIMESTAMP_UNIT');
  }
});

describe('archivedAtIso', () => {
  /** Writes to a service with the conversation c1, created now, which stores what a PUT sends. */
  async function archive(
    input: object,
    {
      created = SECONDS,
      env = {},
    }: { created?: number; env?: Record<string, string> } = {},
  ) {
    const answer = await askOnce(
      `mutation ($input: UpdateConversationInput!) {
        updateConversation(input: $input) { conversation { archivedAt archivedAtIso } }
      }`,
      ({ form }) => {
        const archived = new URLSearchParams(form).get('archived_at') || null;
        return {
          body: wireConversation('c1', {
            created_at: created,
            archived_at: archived && Number(archived),
          }),
        };
      },
      {
        env,
        token: 'grace-token',
        variables: { input: { id: 'c1', ...input } },
        extensions: { cost: true },
      },
    );
    return { ...answer, form: answer.calls.at(-1)?.form };
  }

  test.each(UNITS)(
    'without a setting, is written in the unit of the conversation, which is read first with the same token: %s',
    async (_, perSecond) => {
      const created = SECONDS * perSecond;

      const answer = await archive({ archivedAtIso: ISO }, { created });

      expect(answer.lines).toEqual([READ, WRITE]);
      expect(answer.calls[0]?.token).toBe('Bearer grace-token');
      expect(answer.form).toBe(`archived_at=${created}`);
      expect(answer.extensions.cost).toMatchObject({ estimated: 2, actual: 2 });
    },
  );

  test.each([
    ['TIMESTAMP_UNIT', { created: 86_400 }, [READ]],
    ['MAX_REST_CALLS', { env: { MAX_REST_CALLS: '1' } }, []],
  ])('is not written where the unit is unknown: %s', async (setting, service, calls) => {
    const answer = await archive({ archivedAtIso: ISO, isMuted: true }, service);

    expect(answer.codes).toEqual({ updateConversation: 'NOT_CONFIGURED' });
    expect(answer.error?.message).toContain(setting);
    expect(answer.lines).toEqual(calls);
  });

  test('is not written to a conversation that cannot be read', async () => {
    const { codes, error, lines } = await askOnce(
      `mutation { updateConversation(input: { id: "c1", archivedAtIso: "${ISO}" }) { conversation { id } } }`,
      answering({ status: 404 }),
    );

    expect(codes).toEqual({ updateConversation: 'NOT_FOUND' });
    expect(error?.extensions.outcome).toBeUndefined();
    expect(lines).toEqual([READ]);
  });

  test('that is null takes a conversation out of the archive, which needs no unit', async () => {
    const answer = await archive({ archivedAtIso: null });

    expect(answer.errors).toBeUndefined();
    expect(answer.lines).toEqual([WRITE]);
    expect(answer.form).toBe('archived_at=');
  });

  test.each(['2026-02-29T00:00:00Z', SECONDS, [ISO, ISO]])(
    'that is no DateTime makes the request one that is not sent: %j',
    async (archivedAtIso) => {
      const variable = await archive({ archivedAtIso });
      const literal = await askOnce(
        `mutation { updateConversation(input: { id: "c1", archivedAtIso: ${JSON.stringify(archivedAtIso)} }) { conversation { id } } }`,
        {},
      );

      expect(variable.error?.extensions.code).toBe('BAD_USER_INPUT');
      expect(variable.error?.message).toContain('2026-03-01T09:30:00Z');
      expect(literal.error?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
      expect([...variable.calls, ...literal.calls]).toEqual([]);
    },
  );
});
