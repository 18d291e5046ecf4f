import { expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { codes, startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const TOKENS = Array.from({ length: 30 }, (_, index) => `token-${index}`);

/** Operations that read the same ids for everybody, by loader, by list and by link. */
const OPERATIONS = [
  '{ message(id: "m1") { id message conversation { groupId } } }',
  '{ messages(conversationId: "c1") { nodes { message conversation { groupId } } } }',
  '{ conversations { nodes { groupId messages(first: 2) { nodes { message } } } } }',
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { message conversation { groupId } } } }',
];

test('callers who ask the same at the same time each get their own', async () => {
  await using upstream = await startUpstream(({ line, token = '' }) => {
    const message = wireMessage('m1', { message: token });
    const conversation = wireConversation('c1', { group_id: token });
    const [, , , resource, id] = line.split(/[ /?]/);
    const one = resource === 'messages' ? message : conversation;
    return {
      body: id?.includes('1') && !id.includes('=') ? one : wirePage([one]),
      delayMs: 10,
    };
  });
  await using gateway = await startTestGateway(upstream.url);

  const answers = await Promise.all(
    TOKENS.flatMap((token) =>
      OPERATIONS.map(async (operation) => ({
        token,
        ...(await gateway.ask(operation, { token })),
      })),
    ),
  );

  for (const { token, data, errors } of answers) {
    expect(errors).toBeUndefined();
    const seen = new Set(JSON.stringify(data).match(/Bearer token-\d+/g));
    expect(seen).toEqual(new Set([`Bearer ${token}`]));
  }
});

test('the sample users see their own conversations and none of the other', async () => {
  await using service = await startEmbeddedService();
  await using gateway = await startTestGateway(service.url);
  const ask = (token: string) =>
    gateway.ask('{ conversations(first: 100) { nodes { id } } }', { token });

  const [ada, grace] = await Promise.all([
    ask('ada-sample-token'),
    ask('grace-sample-token'),
  ]);
  const ids = [ada, grace].map(({ data }) =>
    data.conversations.nodes.map(({ id }: { id: string }) => id),
  );
  const [stolen = ''] = ids[0];
  const peeked = await gateway.ask(
    `{ conversation(id: "${stolen}") { createdAt } messages(conversationId: "${stolen}") { nodes { id } } }`,
    { token: 'grace-sample-token' },
  );
  const written = await gateway.ask(
    `mutation { deleteConversation(input: { id: "${stolen}" }) { deletedConversationId } }`,
    { token: 'grace-sample-token' },
  );

  expect(ids.map((list) => list.length)).toEqual([40, 12]);
  expect(ids[1].filter((id: string) => ids[0].includes(id))).toEqual([]);
  expect(peeked.data).toEqual({ conversation: null, messages: null });
  expect(codes(written)).toEqual({ deleteConversation: 'NOT_FOUND' });
});
