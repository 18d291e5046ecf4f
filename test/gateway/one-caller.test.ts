import { expect, test, vi } from 'vitest';
import type { CallerId } from '../../src/rest/caller-id.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wirePage } from '../support/wire.ts';

const callers = vi.hoisted(() => new Set<string>());
vi.mock(import('../../src/rest/thread.ts'), async (original) => ({
  ...(await original()),
  turnOf({ token }: CallerId) {
    callers.add(token);
    return undefined;
  },
}));

test('the stages and the calls of an operation take turns as one caller', async () => {
  await using upstream = await startUpstream({
    'GET /v1/conversations?limit=10': wirePage([wireConversation('c1')]),
    'PUT /v1/conversations/c1': wireConversation('c1'),
  });
  await using gateway = await startTestGateway(upstream.url);
  await gateway.ask('{ conversations { nodes { id } } }', { token: 'ada' });
  await gateway.ask(
    'mutation { updateConversation(input: { id: "c1", isMuted: true }) { conversation { id } } }',
    { token: 'ada' },
  );
  expect(upstream.lines()).toHaveLength(2);
  expect([...callers]).toEqual(['ada']);
});
