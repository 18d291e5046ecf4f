import fc from 'fast-check';
import type { World } from '../oracle/world.ts';
import { type ArgumentMakers, idOf } from './arguments.ts';
import { attachment, badAttachment, badKey, key, text, textOrWorse } from './json.ts';
import { chooseTargets, newId, type Targets } from './targets.ts';

/** An operation can use the objects that an earlier one creates, because their ids are known in advance. */
const FUTURE = [1, 2];

/** Makes the input of every mutation, by `Mutation.field`: valid, invalid and pointless ones. */
export function createInputs(world: World): ArgumentMakers {
  const targets = chooseTargets(world);
  const { messageId, conversationId, deletedId } = toIds(targets);
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
      { arbitrary: likelyChange(targets), weight: 4 },
      { arbitrary: fc.record({ id: conversationId }), weight: 1 },
    ),
    deleteConversation: fc.record({ id: deletedId }),
  };
  return Object.fromEntries(
    Object.entries(inputs).map(([field, input]) => [
      `Mutation.${field}`,
      [() => fc.record({ input: input.map(withoutUndefined) })],
    ]),
  );
}

/** Half of all mutations use the busiest conversation, so it is seldom the one to delete. */
function toIds({ busiest, conversations, messages }: Targets) {
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
    deletedId: idOf([...newConversations, ...conversations]),
  };
}

/** JSON has no undefined. */
const withoutUndefined = (input: object): object =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** A value, left out, or null. */
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.oneof(
    { arbitrary: value, weight: 5 },
    { arbitrary: fc.constant(undefined), weight: 4 },
    { arbitrary: fc.constant(null), weight: 1 },
  );

/** The same, with null more often: here null clears the field. */
const clearable = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(
    { arbitrary: maybe(value), weight: 4 },
    { arbitrary: fc.constant(null), weight: 1 },
  );

/** A list. GraphQL also accepts a single item without brackets. */
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

/** Few names, so that some are repeated or already there. */
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
  fc
    .record({
      id,
      pinnedMessageId: clearable(pinnedMessageId),
      isPinned: maybe(fc.boolean()),
      isMuted: maybe(fc.boolean()),
      archived,
    })
    .map(({ archived, ...others }) => ({ ...others, ...archived }));

/** A change that can pin a message of the same conversation, a combination that chance alone hardly makes. */
const likelyChange = ({ busiest, messages }: Targets) => {
  const isOwn = ({ conversationId }: { conversationId: string }) =>
    conversationId === busiest;
  const others = messages.filter((message) => !isOwn(message));
  return fc
    .oneof(fc.constantFrom(...messages.filter(isOwn)), fc.constantFrom(...others))
    .chain(({ id, conversationId }) =>
      change(fc.constant(conversationId), fc.constant(id)),
    );
};

/** Any safe integer. The service refuses times before 1970. */
const archivedAt = fc.oneof(
  { arbitrary: fc.maxSafeNat(), weight: 4 },
  { arbitrary: fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER), weight: 2 },
  { arbitrary: fc.integer({ max: -1 }), weight: 1 },
);

/** In some zone. Every unit can hold these dates; the service refuses times before 1970. */
const dateTime = fc
  .tuple(
    fc.oneof(
      {
        arbitrary: fc.date({ min: new Date(0), max: new Date('2250-01-01') }),
        weight: 9,
      },
      { arbitrary: fc.date({ min: new Date(-1e12), max: new Date(-1) }), weight: 1 },
    ),
    fc.constantFrom('Z', '+00:00', '+05:30', '-11:00'),
  )
  .map(([date, zone]) => date.toISOString().replace('Z', zone));

/** Rarely both, which is refused. */
const archived: fc.Arbitrary<object> = fc.oneof(
  { arbitrary: fc.record({ archivedAt: clearable(archivedAt) }), weight: 10 },
  { arbitrary: fc.record({ archivedAtIso: clearable(dateTime) }), weight: 10 },
  { arbitrary: fc.record({ archivedAt, archivedAtIso: dateTime }), weight: 1 },
);
