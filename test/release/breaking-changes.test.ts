import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { printSchema } from '../../src/gateway.ts';
import { breakingChanges, namedAsBreaking } from './breaking-changes.ts';

/** The schemas of the last release: `npm version` writes them. Before the first one: what was promised so far. */
const RELEASED = {
  'the schema of clients': {
    before: readFileSync('test/release/schema.graphql', 'utf8'),
    now: printSchema(),
  },
  'the subgraph': {
    before: readFileSync('test/release/subgraph.graphql', 'utf8'),
    now: printSchema({ federation: true }),
  },
};

test.each(Object.entries(RELEASED))(
  '%s breaks nothing since the last release that the changelog does not name ("- Breaking: `Message.text` ...")',
  async (_which, { before, now }) => {
    const named = namedAsBreaking(readFileSync('CHANGELOG.md', 'utf8'));

    const broken = await breakingChanges(before, now);

    expect(broken.filter((place) => !named.has(place))).toEqual([]);
  },
);

describe('a breaking change is', () => {
  const { 'the schema of clients': clients, 'the subgraph': subgraph } = RELEASED;
  const change = (text: string, from: string | RegExp, to: string): string => {
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    return changed;
  };

  test.each([
    ['a field that is gone', 'readAt: Timestamp', 'seenAt: Timestamp', 'Message.readAt'],
    ['a type that is gone', /\bReaction\b/g, 'Response', 'Reaction'],
    [
      'a value that may be null now',
      'isMuted: Boolean!',
      'isMuted: Boolean',
      'Conversation.isMuted',
    ],
    [
      'an argument that must be given now',
      'groupId: ID,',
      'groupId: ID!,',
      'Query.conversations.groupId',
    ],
    [
      'a field of an input that must be given now',
      'pinnedMessageId: ID\n  isPinned',
      'pinnedMessageId: ID!\n  isPinned',
      'UpdateConversationInput.pinnedMessageId',
    ],
    [
      'an interface that is gone',
      'type Message implements Node',
      'type Message',
      'Message',
    ],
  ])('%s', async (_what, from, to, place) => {
    const changed = change(clients.before, from, to);

    expect(await breakingChanges(clients.before, changed)).toContain(place);
  });

  test.each([
    [
      'a key that is gone',
      'type Message @key(fields: "id")',
      'type Message',
      'Message.@key',
    ],
    [
      'a key by which nobody can come back',
      'type Message @key(fields: "id")',
      'type Message @key(fields: "id", resolvable: false)',
      'Message.@key',
    ],
    ['a type that is no longer shareable', ' @shareable {', ' {', 'PageInfo.@shareable'],
  ])('for composers, %s', async (_what, from, to, place) => {
    const changed = change(subgraph.before, from, to);

    expect(await breakingChanges(subgraph.before, changed)).toEqual([place]);
  });

  test('no key by which others can come back now', async () => {
    const changed = change(
      subgraph.before,
      'type Group @key(fields: "id", resolvable: false)',
      'type Group @key(fields: "id")',
    );

    expect(await breakingChanges(subgraph.before, changed)).toEqual([]);
  });

  test('nothing that is added', async () => {
    const added = change(
      subgraph.before,
      /^type PageInfo/m,
      'type Added @key(fields: "id") { id: ID! }\n\ntype PageInfo @tag(name: "x")',
    );

    expect(await breakingChanges(subgraph.before, added)).toEqual([]);
  });
});

test('the changelog names a change in its unreleased part, in backticks, in an item that begins with "Breaking:"', () => {
  const changelog = `# Changelog
## Unreleased
- Breaking: \`Message.text\` is gone, and
  \`Query.old\` too.
- \`Message.mentioned\` is new.
## 1.0.0
- Breaking: \`Message.past\` is gone.
`;

  expect([...namedAsBreaking(changelog)]).toEqual(['Message.text', 'Query.old']);
});
