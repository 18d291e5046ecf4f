import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startExplainCommand } from '../src/explain/command.ts';

/** Runs the command for files with these texts. */
async function explain(texts: readonly string[], words: string[] = [], env = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'explain-'));
  const written = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({
    write(text: string) {
      written[name] += text;
    },
  });
  try {
    const files = texts.map((_, index) => join(folder, `${index}.graphql`));
    await Promise.all(files.map((file, index) => writeFile(file, texts[index] ?? '')));
    const status = await startExplainCommand([...words, ...files], env, {
      stdout: stream('stdout'),
      stderr: stream('stderr'),
    });
    return { status, ...written };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const INBOX = `query Inbox($first: Int!, $group: ID) {
  conversations(first: $first, groupId: $group) { nodes { ...Row } }
}`;
const ROW =
  'fragment Row on Conversation { latestMessage { message } pinnedMessage { message } }';

test('prints the calls of each operation, whose fragments may be in other files', async () => {
  const { status, stdout } = await explain([INBOX, ROW], [], { MAX_PAGE_SIZE: '5' });

  expect(stdout).toBe(`Inbox: 1 to 11 calls, 106 at most
  conversations: 1 call
    conversations.latestMessage: 0 to 5 calls, 100 at most
    conversations.pinnedMessage: 0 to 5 calls
`);
  expect(status).toBe(0);
});

test.each([
  [1, 0],
  [0, 1],
])('with --max %i, the status for one call is %i', async (max, status) => {
  const found = await explain(
    ['{ conversations { nodes { id } } }'],
    ['--max', String(max)],
  );

  expect(found.status).toBe(status);
  expect(found.stdout).toContain('(no name): 1 call');
});

test('required variables have values of every type, and no setting of the gateway keeps it from answering', async () => {
  const { status, stdout } = await explain(
    [
      `mutation M($send: SendMessageInput!, $change: UpdateConversationInput!, $reactions: [ReactionInput!]!, $at: DateTime!, $time: Timestamp!, $is: Boolean!, $text: String!) {
        sendMessage(input: $send) @include(if: $is) { message { id } }
        a: updateConversation(input: $change) { conversation { id } }
        b: updateConversation(input: { id: "c1", archivedAtIso: $at }) { conversation { id } }
        c: updateConversation(input: { id: "c1", archivedAt: $time }) { conversation { id } }
        updateMessage(input: { id: "m1", message: $text, reactions: $reactions }) { message { id } }
      }`,
      'query N($nodeId: ID!, $ids: [ID!]!, $order: ListOrder!) { node(nodeId: $nodeId) { nodeId } nodes(nodeIds: $ids) { nodeId } messages(order: $order) { nodes { id } } }',
    ],
    [],
    { TRUSTED_DOCUMENTS: 'none', REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'info' },
  );

  expect(stdout).toContain('M: 3 to 5 calls, 8 at most\n');
  expect(stdout).toContain('N: 3 calls\n');
  expect(status).toBe(0);
});

test('a refused operation is named with the reason, and the others are explained', async () => {
  const { status, stdout } = await explain([
    'query A { quux }',
    'query B { __typename }',
  ]);

  expect(stdout).toBe(
    'A: refused\n  Cannot query field "quux" on type "Query".\nB: 0 calls\n',
  );
  expect(status).toBe(1);
});

test.each([[[]], [['--max']], [['--max', 'x', 'a.graphql']], [['--all', 'a.graphql']]])(
  'other words get the usage: %j',
  async (words) => {
    const { status, stdout, stderr } = await explain([], words);

    expect(stderr).toBe('Usage: messaging-graphql explain [--max N] FILES\n');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  },
);

test('a file that cannot be read, or is not GraphQL, is named', async () => {
  await expect(explain([], ['no-such-file'])).rejects.toThrow(
    'no-such-file cannot be read: ENOENT',
  );
  await expect(explain(['query {'])).rejects.toThrow(
    /0\.graphql cannot be read: Syntax Error/,
  );
});
