import { type Costs, fetchById, WRITE } from '../cost/declaration.ts';
import type { Resolvers, UpdateConversationInput } from '../generated/types.ts';
import { conversationChanged, conversationCreated } from '../live/notice.ts';
import { type ConversationChange, checkChange } from '../rest/conversation.ts';
import { BadInputError } from '../rest/errors.ts';
import {
  type TimestampUnit,
  TimestampUnitError,
  toTimestamp,
  unitOf,
} from '../rest/timestamp.ts';
import type { GatewayContext } from './context.ts';
import { followLink } from './link.ts';
import { toNodeId } from './node-id.ts';

export const conversation: Resolvers = {
  Query: {
    conversation: (_root, { id }, { loaders }) => loaders.conversation.load(id),
    conversations: (_root, filter, { rest, loaders, paginate }, info) =>
      paginate(rest.conversations.list(filter), info, loaders.conversation),
  },
  Conversation: {
    nodeId: ({ id }) => toNodeId('Conversation', id),
    group: ({ groupId }) => (groupId === null ? null : { id: groupId }),
    pinnedMessage: ({ pinnedMessageId }, _args, { loaders }, info) =>
      pinnedMessageId === null
        ? null
        : followLink(pinnedMessageId, (id) => loaders.message.load(id), info),
    messages: ({ id }, _page, { rest, loaders, paginate }, info) =>
      paginate(rest.messages.list({ conversationId: id }), info, loaders.message),
    lastActiveAtIso: ({ lastActiveAt, createdAt }, _args, { timestamps }) =>
      timestamps.toIso(lastActiveAt, createdAt),
    lastOpenedAtIso: ({ lastOpenedAt, createdAt }, _args, { timestamps }) =>
      timestamps.toIso(lastOpenedAt, createdAt),
    createdAtIso: ({ createdAt }, _args, { timestamps }) =>
      timestamps.toIso(createdAt, createdAt),
    archivedAtIso: ({ archivedAt, createdAt }, _args, { timestamps }) =>
      timestamps.toIso(archivedAt, createdAt),
  },
  Mutation: {
    createConversation: async (_root, { input }, { rest, loaders, afterWrite }) => ({
      conversation: await afterWrite(
        rest.conversations.create(input),
        conversationCreated,
        loaders.conversation,
      ),
    }),
    updateConversation: async (_root, { input }, context) => {
      const { rest, loaders, afterWrite } = context;
      const change = await toConversationChange(input, context);
      const write = rest.conversations.update(input.id, change);
      const toNotice = () => conversationChanged(input.id);
      return { conversation: await afterWrite(write, toNotice, loaders.conversation) };
    },
    deleteConversation: async (_root, { input }, { rest, afterWrite }) => {
      await afterWrite(rest.conversations.delete(input.id), () =>
        conversationChanged(input.id),
      );
      return {
        deletedConversationId: input.id,
        deletedConversationNodeId: toNodeId('Conversation', input.id),
      };
    },
  },
};

export const conversationCosts: Costs = {
  Query: {
    conversation: fetchById('Conversation'),
    conversations: { kind: 'list' },
  },
  Conversation: {
    pinnedMessage: { kind: 'link', leadsBack: false },
    messages: { kind: 'list' },
  },
  Mutation: {
    createConversation: WRITE,
    updateConversation: WRITE,
    deleteConversation: WRITE,
  },
};

/** The change that an input asks for, with `archivedAt` in the service's unit, whichever of the two fields gives it. */
async function toConversationChange(
  { archivedAtIso, ...change }: UpdateConversationInput,
  context: GatewayContext,
): Promise<ConversationChange> {
  if (archivedAtIso === undefined) return change;
  if (change.archivedAt !== undefined) {
    throw new BadInputError('Give `archivedAt` or `archivedAtIso`, not both.');
  }
  if (archivedAtIso === null) return { ...change, archivedAt: null };
  // A change that the gateway itself refuses costs no call.
  checkChange(change);
  const unit = context.timestamps.unit ?? (await readUnit(change.id, context));
  return { ...change, archivedAt: toTimestamp(archivedAtIso, unit) };
}

/** A wrong unit would be written silently, so where none is set, the conversation itself is read. */
async function readUnit(
  id: string,
  { rest, budget }: GatewayContext,
): Promise<TimestampUnit> {
  if (!budget.takeSlack()) {
    throw new TimestampUnitError(
      'The unit of timestamps is not set, and MAX_REST_CALLS leaves no call to read one. Set TIMESTAMP_UNIT, or give `archivedAt`.',
    );
  }
  const { createdAt } = await rest.conversations.get(id);
  const unit = unitOf(createdAt);
  if (unit !== null) return unit;
  throw new TimestampUnitError(
    'The creation of this conversation does not show the unit of timestamps. Set TIMESTAMP_UNIT, or give `archivedAt`.',
  );
}
