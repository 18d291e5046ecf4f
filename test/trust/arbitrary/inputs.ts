import fc from 'fast-check';
import type { World } from '../oracle/world.ts';
import { idOf, type MakeArguments } from './arguments.ts';
import { type Focus, newId, toFocus } from './focus.ts';
import { attachment, badAttachment, badKey, key, text, textOrWorse } from './json.ts';

/** Objects an operation makes can be used by the next ones, by the ids they will have. */
const FUTURE = [1, 2];

/** The arguments of every mutation of the schema, by `Mutation.field`: inputs that are right, wrong and senseless. */
export function createInputs(world: World): Readonly<Record<string, MakeArguments>> {
  const focus = toFocus(world);
  const { messageId, conversationId, doomedId } = toIds(focus);
  const inputs: Record<string, fc.Arbitrary<object>> = {
    sendMessage: fc.record({ conversationId, message: textOrWorse, attachments }),
    updateMessage: fc.oneof(
      {
        arbitrary: fc.record({
          id: messageId,
          message: maybe(textOrWorse),
          reactions,
          attachments,
        }),
        weight: 8,
      },
      { arbitrary: fc.record({ id: messageId }), weight: 1 },
    ),
    deleteMessage: fc.record({ id: messageId }),
    createConversation: fc.record({
      contactId: maybe(someId(world, 'contact_id')),
      groupId: maybe(someId(world, 'group_id')),
    }),
    updateConversation: fc.oneof(
      { arbitrary: change(conversationId, messageId), weight: 4 },
      { arbitrary: likelyChange(focus), weight: 4 },
      { arbitrary: fc.record({ id: conversationId }), weight: 1 },
    ),
    deleteConversation: fc.record({ id: doomedId }),
  };
  return Object.fromEntries(
    Object.entries(inputs).map(([field, input]) => [
      `Mutation.${field}`,
      () => fc.record({ input: input.map(toGiven) }),
    ]),
  );
}

/** Half of what happens is in one conversation, which therefore is seldom deleted. */
function toIds({ busiest, conversations, messages }: Focus) {
  const own = messages.filter(({ conversationId }) => conversationId === busiest);
  const newMessages = FUTURE.map((count) => newId('msg', count));
  const newConversations = FUTURE.map((count) => newId('conv', count));
  return {
    messageId: fc.oneof(
      idOf(own.map(({ id }) => id)),
      idOf([...messages.map(({ id }) => id), ...newMessages]),
    ),
    conversationId: fc.oneof(
      idOf([busiest]),
      idOf([...conversations.slice(1), ...newConversations]),
    ),
    doomedId: idOf([...newConversations, ...conversations]),
  };
}

/** As JSON has it, where nothing is undefined. */
const toGiven = (input: object): object =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** Left out, null, or a value. */
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.oneof(
    { arbitrary: value, weight: 5 },
    { arbitrary: fc.constant(undefined), weight: 4 },
    { arbitrary: fc.constant(null), weight: 1 },
  );

/** The same where null clears. */
const clearable = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(
    { arbitrary: maybe(value), weight: 4 },
    { arbitrary: fc.constant(null), weight: 1 },
  );

/** A list; of one, it may be given without its brackets. */
const listOf = <T>(item: fc.Arbitrary<T>, maxLength = 3): fc.Arbitrary<T | T[]> =>
  fc.oneof(
    { arbitrary: fc.array(item, { minLength: 1, maxLength }), weight: 6 },
    { arbitrary: fc.constant<T[]>([]), weight: 2 },
    { arbitrary: item.filter((value) => !Array.isArray(value)), weight: 1 },
  );

const attachments = clearable(
  fc.oneof(
    { arbitrary: listOf(attachment), weight: 8 },
    { arbitrary: fc.tuple(attachment, badAttachment), weight: 1 },
  ),
);

const usernames = fc.oneof(
  { arbitrary: listOf(text), weight: 8 },
  { arbitrary: listOf(textOrWorse), weight: 2 },
  { arbitrary: fc.array(text, { minLength: 40, maxLength: 60 }), weight: 1 },
);

/** Few names, so that some are given twice, or are there before. */
const name = fc.oneof(
  { arbitrary: fc.constantFrom('heart', 'heart', '👍', '1'), weight: 4 },
  { arbitrary: key, weight: 3 },
);

const reactions = clearable(
  fc.oneof(
    { arbitrary: listOf(fc.record({ name, usernames }), 4), weight: 10 },
    { arbitrary: fc.tuple(fc.record({ name: badKey, usernames })), weight: 1 },
  ),
);

const someId = (world: World, field: 'contact_id' | 'group_id') =>
  idOf(
    world.conversations.map((wire) => wire[field]).filter((id) => typeof id === 'string'),
  );

const change = (id: fc.Arbitrary<unknown>, pinnedMessageId: fc.Arbitrary<unknown>) =>
  fc.record({
    id,
    pinnedMessageId: clearable(pinnedMessageId),
    isPinned: maybe(fc.boolean()),
    isMuted: maybe(fc.boolean()),
    archivedAt: clearable(archivedAt),
  });

/** One that pins a message of the very conversation, which would hardly be met by chance. */
const likelyChange = ({ busiest, messages }: Focus) => {
  const isOwn = ({ conversationId }: { conversationId: string }) =>
    conversationId === busiest;
  const others = messages.filter((message) => !isOwn(message));
  return fc
    .oneof(fc.constantFrom(...messages.filter(isOwn)), fc.constantFrom(...others))
    .chain(({ id, conversationId }) =>
      change(fc.constant(conversationId), fc.constant(id)),
    );
};

/** Any integer a number can hold; one from before 1970 is not for the service to take. */
const archivedAt = fc.oneof(
  { arbitrary: fc.maxSafeNat(), weight: 4 },
  { arbitrary: fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER), weight: 2 },
  { arbitrary: fc.integer({ max: -1 }), weight: 1 },
);
