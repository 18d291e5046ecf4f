import fc from 'fast-check';
import type { World } from '../oracle/world.ts';
import { type ArgumentMakers, idOf } from './arguments.ts';
import { attachment, badAttachment, badKey, key, text, textOrWorse } from './json.ts';
import { oneOf } from './one-of.ts';
import { chooseTargets, newId, type Targets } from './targets.ts';

/** An operation can use the objects that an earlier one creates, because their ids are known in advance. */
const FUTURE = [1, 2];

/** Makes the input of every mutation, by `Mutation.field`: valid, invalid and pointless ones. */
export function createInputs(world: World): ArgumentMakers {
  const targets = chooseTargets(world);
  const { messageId, conversationId, deletedId } = toIds(targets);
  const inputs: Record<string, fc.Arbitrary<object>> = {
    sendMessage: fc.record({ conversationId, message: textOrWorse, attachments }),
    updateMessage: oneOf(
      [
        8,
        fc.record({ id: messageId, message: maybe(textOrWorse), reactions, attachments }),
      ],
      [1, fc.record({ id: messageId })],
    ),
    addReaction: reaction(messageId),
    removeReaction: reaction(messageId),
    deleteMessage: fc.record({ id: messageId }),
    createConversation: fc.record({
      contactId: maybe(someId(world, 'contact_id')),
      groupId: maybe(someId(world, 'group_id')),
    }),
    updateConversation: oneOf(
      [4, change(conversationId, messageId)],
      [4, likelyChange(targets)],
      [1, fc.record({ id: conversationId })],
    ),
    deleteConversation: fc.record({ id: deletedId }),
  };
  return Object.fromEntries(
    Object.entries(inputs).map(([field, input]) => [
      `Mutation.${field}`,
      () =>
        fc.tuple(input, clientMutationId).map(([input, clientMutationId]) => ({
          input: withoutUndefined({ ...input, clientMutationId }),
        })),
    ]),
  );
}

/** Half of all mutations use the busiest conversation, so it is seldom the one to delete. */
function toIds({ busiest, archived, conversations, messages }: Targets) {
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
      idOf([archived, ...conversations.slice(1), ...newConversations]),
    ),
    deletedId: idOf([...newConversations, ...conversations]),
  };
}

/** JSON has no undefined. */
const withoutUndefined = (input: object): object =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** A value, left out, or null. */
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  oneOf([5, value], [4, fc.constant(undefined)], [1, fc.constant(null)]);

/** The same, with null more often: here null clears the field. */
const clearable = <T>(value: fc.Arbitrary<T>) =>
  oneOf([4, maybe(value)], [1, fc.constant(null)]);

/** A list. GraphQL also accepts a single item without brackets. */
const listOf = <T>(item: fc.Arbitrary<T>, maxLength = 3): fc.Arbitrary<T | T[]> =>
  oneOf(
    [6, fc.array(item, { minLength: 1, maxLength })],
    [2, fc.constant<T[]>([])],
    [1, item.filter((value) => !Array.isArray(value))],
  );

const attachments = clearable(
  oneOf([8, listOf(attachment)], [1, fc.tuple(attachment, badAttachment)]),
);

const usernames = oneOf(
  [8, listOf(text)],
  [2, listOf(textOrWorse)],
  [1, fc.array(text, { minLength: 40, maxLength: 60 })],
);

/** Few names, so that some are repeated or already there. */
const name = oneOf([4, fc.constantFrom('heart', 'heart', '👍', '1')], [3, key]);

const reaction = (messageId: fc.Arbitrary<unknown>) =>
  fc.record({
    messageId,
    name: oneOf([6, fc.constant('heart')], [3, name], [1, badKey]),
    username: maybe(
      oneOf([9, fc.constantFrom('ada', 'grace')], [2, textOrWorse], [5, fc.constant('')]),
    ),
  });

const reactions = clearable(
  oneOf(
    [10, listOf(fc.record({ name, usernames }), 4)],
    [1, fc.tuple(fc.record({ name: badKey, usernames }))],
  ),
);

/** Few, so that some messages are sent under the same. */
const clientMutationId = oneOf(
  [12, maybe(fc.constantFrom('a', 'b', 'x'.repeat(128)))],
  [1, fc.constantFrom('', 'x'.repeat(129))],
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
const archivedAt = oneOf(
  [4, fc.maxSafeNat()],
  [2, fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER)],
  [1, fc.integer({ max: -1 })],
);

/** In some zone. Every unit can hold these dates; the service refuses times before 1970. */
const dateTime = fc
  .tuple(
    oneOf(
      [9, fc.date({ min: new Date(0), max: new Date('2250-01-01') })],
      [1, fc.date({ min: new Date(-1e12), max: new Date(-1) })],
    ),
    fc.constantFrom('Z', '+00:00', '+05:30', '-11:00'),
  )
  .map(([date, zone]) => date.toISOString().replace('Z', zone));

/** Rarely both, which is refused. */
const archived: fc.Arbitrary<object> = oneOf(
  [10, fc.record({ archivedAt: clearable(archivedAt) })],
  [10, fc.record({ archivedAtIso: clearable(dateTime) })],
  [1, fc.record({ archivedAt, archivedAtIso: dateTime })],
);
