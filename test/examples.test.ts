import { globSync, readFileSync } from 'node:fs';
import { parse, print, separateOperations } from 'graphql';
import { expect, test } from 'vitest';
import { startEmbeddedService } from '../src/embedded/service.ts';
import { OPERATIONS } from '../src/messaging/examples.ts';
import { startTestGateway } from './support/gateway.ts';

const LISBON = 'conv_lisbon_trip';
const TOKEN = 'ada-sample-token';

/** Values from a page of the sample conversation, for the variables. */
interface Sample {
  readonly messageId: string;
  readonly startCursor: string;
  readonly endCursor: string;
}

const inLisbon = () => ({ conversationId: LISBON });
const before = ({ startCursor }: Sample) => ({ ...inLisbon(), before: startCursor });
const after = ({ endCursor }: Sample) => ({ ...inLisbon(), after: endCursor });

/** Variables for every operation, in the order in which they run. */
const VARIABLES: Record<string, (sample: Sample) => Record<string, unknown>> = {
  ListConversations: () => ({}),
  Inbox: () => ({}),
  NewMessages: before,
  NewestMessages: inLisbon,
  PageThroughMessages: after,
  PageBackThroughMessages: before,
  PinMessage: ({ messageId }) => ({ ...inLisbon(), messageId }),
  AddReaction: ({ messageId }) => ({ messageId, name: 'heart' }),
  RemoveReaction: ({ messageId }) => ({ messageId, name: 'heart' }),
  EditMessage: ({ messageId }) => ({ id: messageId, message: 'Half past nine.' }),
  SendMessage: () => ({
    ...inLisbon(),
    message: 'See you at the station.',
    clientMutationId: '8a1d8a5c-6f0e-4c57-9d0e-0f6c6d1f6f52',
    attachments: [{ type: 'image', url: 'https://media.example/platform.jpg' }],
  }),
  ArchiveConversation: () => ({ id: LISBON, archivedAt: '2026-03-01T09:30:00Z' }),
  DeleteMessage: ({ messageId }) => ({ id: messageId }),
  DeleteConversation: () => ({ id: LISBON }),
};

test('every operation of examples/*.graphql runs without errors', async () => {
  const operations = Object.assign(
    {},
    ...globSync('examples/*.graphql').map((file) =>
      separateOperations(parse(readFileSync(file, 'utf8'))),
    ),
  );
  expect(Object.keys(operations).toSorted()).toEqual(Object.keys(VARIABLES).toSorted());
  await using service = await startEmbeddedService();
  await using gateway = await startTestGateway(service.url);
  const { data } = await gateway.ask(
    `{ messages(conversationId: "${LISBON}", first: 5) { nodes { id } pageInfo { startCursor endCursor } } }`,
    { token: TOKEN },
  );
  const sample = { messageId: data.messages.nodes[0].id, ...data.messages.pageInfo };

  for (const [name, toVariables] of Object.entries(VARIABLES)) {
    const answer = await gateway.ask(print(operations[name]), {
      token: TOKEN,
      variables: toVariables(sample),
    });

    expect(answer.errors, name).toBeUndefined();
    expect(Object.values(answer.data), name).not.toContain(null);
  }
});

test('what the explorer opens with runs as it is, with at most 20 calls', async () => {
  await using service = await startEmbeddedService();
  await using gateway = await startTestGateway(service.url);
  // test/ci/explorer-live.ts runs the subscription.
  const asked = OPERATIONS.filter(({ document }) => !document.includes('subscription'));

  for (const { document, variables } of asked) {
    const extensions = { cost: true };
    const answer = await gateway.ask(document, { token: TOKEN, variables, extensions });
    expect([document, answer.errors]).toEqual([document, undefined]);
    expect(answer.extensions.cost.actual).toBeLessThanOrEqual(20);
  }
  expect(asked).toHaveLength(2);
});
