import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireContact, wireMessage } from '../support/wire.ts';

/** Reads one message of a service that answers with it. */
async function read(body: unknown) {
  await using upstream = await startUpstream(() => ({ body }));
  await using gateway = await startTestGateway(upstream.url);
  const answer = await gateway.ask('{ message(id: "m1") { attachments } }');
  return { ...answer, error: answer.errors?.[0] };
}

describe('the error for an answer that cannot be read', () => {
  const SAID = 'said-by-the-service';

  test.each([
    ['a reaction', { reactions: [{ [SAID]: 1 }] }],
    ['a reacting user', { reactions: [{ heart: [{ [SAID]: SAID }] }] }],
    ['a reaction that is text', { reactions: [SAID] }],
    ['an attachment', { attachments: [{ [SAID]: SAID }, null] }],
    ['a contact', { contact: wireContact({ username: [SAID], [SAID]: 1 }) }],
    ['a timestamp', { created_at: SAID }],
    ['an id', { id: `${SAID}\ud800` }],
  ])(
    'names fields of the interface and nothing the service said: %s',
    async (_what, change) => {
      const { error } = await read(wireMessage('m1', change));

      expect(error?.extensions).toEqual({ code: 'UPSTREAM_INVALID_RESPONSE' });
      expect(error?.message).toMatch(
        /^GET \/v1\/messages\/:id answered an object where /,
      );
      expect(JSON.stringify(error)).not.toContain(SAID);
    },
  );

  test('is as short for a long name', async () => {
    const { error } = await read(
      wireMessage('m1', { reactions: [{ ['x'.repeat(100_000)]: 1 }] }),
    );

    expect(error?.message.length).toBeLessThan(200);
  });
});

test('a number that JSON cannot be written with again is no silent null', async () => {
  for (const attachment of ['1e400', '{"a":[-1e400]}']) {
    const { data, error } = await read(
      JSON.stringify(wireMessage('m1', { attachments: ['@'] })).replace(
        '"@"',
        attachment,
      ),
    );

    expect(data).toEqual({ message: null });
    expect(error?.extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
  }
});
