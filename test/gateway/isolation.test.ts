import { expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { codes, startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const TOKENS = Array.from({ length: 30 }, (_, index) => `token-${index}`);

/** Every caller asks for the same ids: by id, by list, by link and after a write. */
const OPERATIONS = [
  '{ message(id: "m1") { id message conversation { groupId } } }',
  '{ messages(conversationId: "c1") { nodes { message conversation { groupId } } } }',
  '{ conversations { nodes { groupId messages(first: 2) { nodes { message } } } } }',
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { message conversation { groupId } } } }',
];

test('callers who send the same operations at the same time each get their own data', async () => {
  await using upstream = await startUpstream(({ line, token = '' }) => {
    const object = line.includes('/v1/messages')
      ? wireMessage('m1', { message: token })
      : wireConversation('c1', { group_id: token });
    const isById = /\/[mc]1$/.test(line);
    return { body: isById ? object : wirePage([object]), delayMs: 10 };
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

test('a sample user cannot read or delete the conversations that the other does not share', async () => {
  await using service = await startEmbeddedService();
  await using gateway = await startTestGateway(service.url);
  const idsOf = async (token: string): Promise<string[]> => {
    const query = '{ conversations(first: 100) { nodes { id } } }';
    const { data } = await gateway.ask(query, { token });
    return data.conversations.nodes.map(({ id }: { id: string }) => id);
  };

  const ofAda = await idsOf('ada-sample-token');
  const ofGrace = await idsOf('grace-sample-token');
  const [id = ''] = ofAda;
  const read = await gateway.ask(
    `{ conversation(id: "${id}") { createdAt } messages(conversationId: "${id}") { nodes { id } } }`,
    { token: 'grace-sample-token' },
  );
  const written = await gateway.ask(
    `mutation { deleteConversation(input: { id: "${id}" }) { deletedConversationId } }`,
    { token: 'grace-sample-token' },
  );

  expect([ofAda.length, ofGrace.length]).toEqual([40, 12]);
  expect(ofGrace.filter((one) => ofAda.includes(one))).toHaveLength(4);
  expect(ofGrace).not.toContain(id);
  expect(read.data).toEqual({ conversation: null, messages: null });
  expect(codes(written)).toEqual({ deleteConversation: 'NOT_FOUND' });
});
