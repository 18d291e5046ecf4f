import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse, print, separateOperations } from 'graphql';
import { describe, expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { run, toAddress } from '../support/command.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const FOLDER = new URL('../../examples/', import.meta.url);
const TOKEN = 'ada-sample-token';
const LISBON = 'conv_lisbon_trip';

/** Values from a page of the sample conversation, for the variables. */
interface Sample {
  readonly messageId: string;
  readonly startCursor: string;
  readonly endCursor: string;
}
type Variables = (sample: Sample) => Record<string, unknown>;

/** Variables for every operation, by file and name. */
const CASES: Record<string, Record<string, Variables>> = {
  'archive-conversation.graphql': {
    ArchiveConversation: () => ({ id: LISBON, archivedAt: '2026-03-01T09:30:00Z' }),
  },
  'delete.graphql': {
    DeleteMessage: ({ messageId }) => ({ id: messageId }),
    DeleteConversation: () => ({ id: LISBON }),
  },
  'edit-message.graphql': {
    EditMessage: ({ messageId }) => ({ id: messageId, message: 'Half past nine.' }),
  },
  'list-conversations.graphql': { ListConversations: () => ({}) },
  'new-messages.graphql': {
    NewMessages: ({ startCursor }) => ({ conversationId: LISBON, before: startCursor }),
    NewMessagesOfAnOldestFirstService: ({ endCursor }) => ({
      conversationId: LISBON,
      after: endCursor,
    }),
  },
  'newest-messages.graphql': {
    NewestMessages: () => ({ conversationId: LISBON }),
    NewestMessagesOfAnOldestFirstService: () => ({ conversationId: LISBON }),
  },
  'page-through-messages.graphql': {
    PageThroughMessages: ({ endCursor }) => ({
      conversationId: LISBON,
      after: endCursor,
    }),
    PageBackThroughMessages: ({ startCursor }) => ({
      conversationId: LISBON,
      before: startCursor,
    }),
  },
  'pin-message.graphql': {
    PinMessage: ({ messageId }) => ({ conversationId: LISBON, messageId }),
  },
  'react-to-message.graphql': {
    ReactionsOfMessage: ({ messageId }) => ({ id: messageId }),
    ReactToMessage: ({ messageId }) => ({
      id: messageId,
      reactions: [{ name: 'heart', usernames: ['ada'] }],
    }),
  },
  'send-message.graphql': {
    SendMessage: () => ({
      conversationId: LISBON,
      message: 'See you at the station.',
      attachments: [{ type: 'image', url: 'https://media.example/platform.jpg' }],
    }),
  },
};

/** Returns the operations of a file by name, each as a document of its own. */
function readOperations(file: string): Record<string, string> {
  const document = parse(readFileSync(new URL(file, FOLDER), 'utf8'));
  const operations = Object.entries(separateOperations(document));
  return Object.fromEntries(
    operations.map(([name, operation]) => [name, print(operation)]),
  );
}

async function readSample(gateway: TestGateway): Promise<Sample> {
  const { data } = await gateway.ask(
    `{ messages(conversationId: "${LISBON}", first: 5) { nodes { id } pageInfo { startCursor endCursor } } }`,
    { token: TOKEN },
  );
  return { messageId: data.messages.nodes[0].id, ...data.messages.pageInfo };
}

test('every operation in examples/ is listed above with its variables', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.graphql'));

  const found = files.map((file) => [file, Object.keys(readOperations(file)).sort()]);

  const listed = Object.entries(CASES).map(([file, cases]) => [
    file,
    Object.keys(cases).sort(),
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed));
});

const table = Object.entries(CASES).flatMap(([file, cases]) =>
  Object.entries(cases).map(([operation, variables]) => ({ file, operation, variables })),
);

test.each(table)(
  '$operation in $file runs without errors',
  async ({ file, operation, variables }) => {
    await using service = await startEmbeddedService();
    await using gateway = await startTestGateway(service.url);
    const sample = await readSample(gateway);

    const answer = await gateway.ask(readOperations(file)[operation] ?? '', {
      token: TOKEN,
      variables: variables(sample),
    });

    expect(answer.errors).toBeUndefined();
    expect(Object.values(answer.data)).not.toContain(null);
  },
);

describe('examples/library/', () => {
  const LIBRARY = resolve('examples/library');
  const SERVERS = ['express.js', 'fastify.js', 'node-http.js'];
  const PROGRAMS = ['in-process.js', 'own-test.test.js'];

  test('has no file without a test', () => {
    expect(readdirSync(LIBRARY).sort()).toEqual([...SERVERS, ...PROGRAMS].sort());
  });

  test.each(SERVERS)(
    '%s answers operations and all else, and ends after SIGTERM',
    async (file) => {
      await using service = await startEmbeddedService();
      await using server = run([`${LIBRARY}/${file}`], { MESSAGING_URL: service.url });
      const url = toAddress(await server.first());

      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify({ query: `{ conversation(id: "${LISBON}") { id } }` }),
      });
      const rest = await fetch(new URL('/', url));

      expect(await response.json()).toEqual({ data: { conversation: { id: LISBON } } });
      expect(await rest.text()).toBe('the rest of the application\n');
      server.child.kill('SIGTERM');
      expect(await server.exit()).toBe(0);
      expect(server.errors).toEqual([]);
    },
  );

  test('in-process.js prints the data of a token, and the errors of another', async () => {
    await using service = await startEmbeddedService();
    const env = { MESSAGING_URL: service.url };
    await using program = run([`${LIBRARY}/in-process.js`, TOKEN], env);
    await using refused = run([`${LIBRARY}/in-process.js`, 'nobody'], env);
    await using sample = run([`${LIBRARY}/in-process.js`]);

    expect(await program.exit()).toBe(0);
    expect(JSON.parse(program.lines.join('')).conversations.nodes).toHaveLength(3);
    expect(await refused.exit()).toBe(0);
    expect(refused.errors).toEqual([expect.stringMatching(/^conversations .*401/)]);
    expect(await sample.exit()).toBe(0);
    expect(sample.lines.join()).toContain(LISBON);
  });

  test('own-test.test.js passes', async () => {
    await using tests = run(['--test', `${LIBRARY}/own-test.test.js`]);

    expect(await tests.exit()).toBe(0);
    expect(tests.lines.join('\n')).toMatch(/pass 2$/m);
  });
});
