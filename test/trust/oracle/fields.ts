import { connection } from './connection.ts';
import { nodeIdOf } from './node-id.ts';
import { type Arguments, BAD_INPUT, type Thing, Trouble } from './values.ts';
import {
  type ConversationFilters,
  conversationsBy,
  messagesOf,
  type Wire,
  type World,
} from './world.ts';

export interface OracleOptions {
  readonly world: World;
  /** How many timestamps make a millisecond; null if the gateway is not told. */
  readonly perMillisecond: number | null;
  /** Carries out one mutation, after which `world` is another, and gives its payload. */
  readonly mutate?: (field: string, input: Arguments) => Thing | Trouble;
}

type Resolve = (options: OracleOptions, thing: Thing, args: Arguments) => unknown;

/** What is more than reading the REST name off the object; by type and field. Source: the contract, sections 1 and 3. */
const FIELDS: Readonly<Record<string, Resolve>> = {
  'Query.message': ({ world }, _root, { id }) =>
    isBadId(id) ? BAD_INPUT : find('Message', world.messages, id),
  'Query.conversation': ({ world }, _root, { id }) =>
    isBadId(id) ? BAD_INPUT : find('Conversation', world.conversations, id),
  'Query.node': ({ world }, _root, { nodeId }) => node(world, nodeId),
  'Query.nodes': ({ world }, _root, { nodeIds }) =>
    (nodeIds as unknown[]).map((nodeId) => node(world, nodeId)),
  'Query.messages': ({ world }, _root, { conversationId, ...page }) =>
    conversationId != null && isBadId(conversationId)
      ? BAD_INPUT
      : connection(world, messagesOf(conversationId), page),
  'Query.conversations': ({ world }, _root, args) =>
    args.groupId != null && isBadId(args.groupId)
      ? BAD_INPUT
      : connection(world, conversationsBy(args as ConversationFilters), args),
  'Message.conversation': ({ world }, { wire }) =>
    find('Conversation', world.conversations, wire.conversation_id),
  'Message.contact': (_options, { wire }) => ({ type: 'Contact', wire: wire.contact }),
  'Message.reactions': (_options, { wire }) => mergeReactions(wire.reactions as object[]),
  'Message.nodeId': (_options, { wire }) => nodeIdOf('Message', wire.id),
  'Conversation.nodeId': (_options, { wire }) => nodeIdOf('Conversation', wire.id),
  'Conversation.pinnedMessage': ({ world }, { wire }) =>
    wire.pinned_message_id === null
      ? null
      : find('Message', world.messages, wire.pinned_message_id),
  'Conversation.messages': ({ world }, { wire }, page) =>
    connection(world, messagesOf(wire.id), page),
};

/** The field's value: an Iso field is a timestamp read as a date, any other has its REST name in camelCase. */
export function resolve(
  options: OracleOptions,
  thing: Thing,
  field: string,
  args: Arguments,
): unknown {
  if (thing.type === 'Mutation' && options.mutate !== undefined) {
    return options.mutate(field, args.input as Arguments);
  }
  const special = FIELDS[`${thing.type}.${field}`];
  if (special !== undefined) return special(options, thing, args);
  if (field in thing.wire) return thing.wire[field];
  const restName = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (restName in thing.wire) return thing.wire[restName];
  const timestamp = thing.wire[restName.replace(/_iso$/, '')];
  if (timestamp === null) return null;
  if (typeof timestamp !== 'number' || !field.endsWith('Iso')) {
    throw new Error(`the oracle knows no ${thing.type}.${field}`);
  }
  return toIso(timestamp, options.perMillisecond);
}

/** A timestamp of a unit that is not known, or of no date, is trouble. */
function toIso(timestamp: number, perMillisecond: number | null): string | Trouble {
  const date = new Date(timestamp / (perMillisecond ?? Number.NaN));
  return Number.isNaN(date.getTime())
    ? new Trouble('NOT_CONFIGURED')
    : date.toISOString();
}

/** Source: the contract, "Ids". */
export function isBadId(id: unknown): boolean {
  const text = String(id);
  const bytes = Buffer.byteLength(text);
  const isDots = text === '.' || text === '..';
  return bytes === 0 || bytes > 1024 || isDots || /\p{Cc}|\p{Surrogate}/u.test(text);
}

function find(type: string, items: readonly Wire[], id: unknown): Thing | null {
  const wire = items.find((item) => item.id === id);
  return wire === undefined ? null : { type, wire };
}

function node(world: World, nodeId: unknown): Thing | Trouble | null {
  const [, type = '', id] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(String(nodeId), 'base64url').toString()) ?? [];
  if (nodeIdOf(type, id) !== nodeId) return BAD_INPUT;
  if (type !== 'Message' && type !== 'Conversation') return BAD_INPUT;
  if (isBadId(id)) return BAD_INPUT;
  return find(type, type === 'Message' ? world.messages : world.conversations, id);
}

/** One entry for each name, in the order of the names; each username once. */
function mergeReactions(reactions: readonly object[]): Thing[] {
  const pairs = reactions.flatMap((object) => Object.entries(object));
  return [...new Set(pairs.map(([name]) => name))].map((name) => {
    const all = pairs.filter(([other]) => other === name);
    const usernames = [...new Set(all.flatMap(([, users]) => users as string[]))];
    return { type: 'Reaction', wire: { name, usernames, count: usernames.length } };
  });
}
