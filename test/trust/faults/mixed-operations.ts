import type { Random } from '../../../src/embedded/sample/random.ts';
import { nodeIdOf } from '../../support/wire.ts';
import type { World } from '../oracle/world.ts';

export interface MixedOperation {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  /** Identifies the call of a write, unlike every other; null for a read. */
  readonly mark: string | null;
}

type Make = (ids: { message: string; conversation: string; count: number }) => {
  query: string;
  variables: Record<string, unknown>;
};

/** Reads by id, list and link. */
const READS: readonly [Make, ...Make[]] = [
  ({ message }) => ({
    query:
      'query ($id: ID!) { message(id: $id) { id message conversation { isMuted } } }',
    variables: { id: message },
  }),
  ({ conversation }) => ({
    query: `query ($id: ID!) { conversation(id: $id) {
      groupId pinnedMessage { message contact { username } }
      messages(first: 3) { edges { cursor node { message reactions { name count } } } pageInfo { hasNextPage } }
    } }`,
    variables: { id: conversation },
  }),
  () => ({
    query: `{ conversations(first: 5) { nodes { id messages(first: 2) { nodes { message
      conversation { lastActiveAt } } } } } }`,
    variables: {},
  }),
  ({ conversation }) => ({
    query:
      'query ($id: ID!) { messages(conversationId: $id, last: 3) { nodes { id message } } }',
    variables: { id: conversation },
  }),
  ({ message, conversation }) => ({
    query:
      'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId ... on Message { message } } }',
    variables: {
      ids: [nodeIdOf('Message', message), nodeIdOf('Conversation', conversation)],
    },
  }),
];

/** Each sends a text or a number that no other operation sends. */
const WRITES: readonly [Make, ...Make[]] = [
  ({ conversation, count }) => ({
    query: `mutation ($input: SendMessageInput!) { sendMessage(input: $input) {
      message { id conversation { lastActiveAt } } } }`,
    variables: { input: { conversationId: conversation, message: `write-${count}.` } },
  }),
  ({ message, count }) => ({
    query: `mutation ($input: UpdateMessageInput!) { updateMessage(input: $input) { message { message } } }`,
    variables: { input: { id: message, message: `write-${count}.` } },
  }),
  ({ count }) => ({
    query: `mutation ($input: CreateConversationInput!) { createConversation(input: $input) {
      conversation { id contactId } } }`,
    variables: { input: { contactId: `write-${count}.` } },
  }),
  ({ conversation, count }) => ({
    query: `mutation ($input: UpdateConversationInput!) { updateConversation(input: $input) {
      conversation { archivedAt messages(first: 1) { nodes { id } } } } }`,
    variables: { input: { id: conversation, archivedAt: FIRST_TIME + count } },
  }),
];

const FIRST_TIME = 7_000_000_000;

/** Makes an endless sequence of operations: about four reads for each write, and no message deleted twice. */
export function mixOperations(random: Random, world: World): () => MixedOperation {
  const [firstMessage = '', ...messages] = world.messages.map(({ id }) => id);
  const [firstConversation = '', ...conversations] = world.conversations.map(
    ({ id }) => id,
  );
  // One half of the messages is read and updated, the other half is deleted.
  const half = Math.floor(world.messages.length / 2) - 1;
  const deletable = random.shuffle(messages.slice(half));
  let count = 0;

  return () => {
    count += 1;
    const deleted = random.chance(0.04) ? deletable.pop() : undefined;
    if (deleted !== undefined) return deleteMessage(deleted);
    const isWrite = random.chance(0.2);
    const made = random.pick(isWrite ? WRITES : READS)({
      message: random.pick([firstMessage, ...messages.slice(0, half)]),
      conversation: random.pick([firstConversation, ...conversations]),
      count,
    });
    return { ...made, mark: isWrite ? toMark('', JSON.stringify(made.variables)) : null };
  };
}

const deleteMessage = (id: string): MixedOperation => ({
  query: `mutation ($input: DeleteMessageInput!) { deleteMessage(input: $input) { deletedMessageId } }`,
  variables: { input: { id } },
  mark: toMark(`DELETE /v1/messages/${id}`, ''),
});

/** Finds the mark of a write in its call or in the variables of its operation. */
export function toMark(line: string, text: string): string {
  if (line.startsWith('DELETE')) return line;
  return /write-\d+|\b7\d{9}\b/.exec(text)?.[0] ?? 'unmarked';
}
