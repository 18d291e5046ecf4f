import type { Answers } from '../../../src/embedded/answers.ts';
import { nodeIdOf } from '../../support/wire.ts';
import { connection, type NewestEnd } from './connection.ts';
import { KINDS, type Kind, LISTED, toRestName } from './lists.ts';
import {
  type Arguments,
  BAD_INPUT,
  failure,
  type Item,
  listOf,
  type OracleObject,
  type World,
} from './world.ts';

type TimestampUnit = Answers['timestampUnit'];

export interface OracleOptions {
  readonly world: World;
  /** The service's. */
  readonly timestampUnit: TimestampUnit;
  /** The gateway knows the unit from its settings; otherwise, it recognizes it by the size of the timestamps. */
  readonly isUnitConfigured: boolean;
  /** The service's; or the gateway's, if its settings say it. */
  readonly newestEnd: NewestEnd;
  /** The username of the caller. */
  readonly viewer: string;
  /** Carries out one mutation, replaces `world` and returns the payload. */
  readonly mutate?: (field: string, input: Arguments) => unknown;
}

type Resolve = (options: OracleOptions, parent: OracleObject, args: Arguments) => unknown;

/** The fields that are not a plain property of the object, by `Type.field`. */
const FIELDS: Readonly<Record<string, Resolve>> = {
  ...Object.assign({}, ...KINDS.map(fieldsOf)),
  'Query.node': ({ world }, _root, { nodeId }) => node(world, nodeId),
  'Query.nodes': ({ world }, _root, { nodeIds }) =>
    (nodeIds as unknown[]).map((nodeId) => node(world, nodeId)),
  'Conversation.latestMessage': (options, { wire }) => {
    const list = listOf('messages', { conversationId: wire.id });
    const page = connection(options, list, { first: 1, order: 'NEWEST_FIRST' });
    const { nodes } = (page as OracleObject).wire;
    return (nodes as readonly OracleObject[])[0] ?? null;
  },
  'Query.viewer': ({ world, viewer }) =>
    toContact(world.messages.find((message) => isSentBy(message, viewer))),
  'Message.isMine': ({ viewer }, { wire }) => isSentBy(wire, viewer),
  'Reaction.isMine': ({ viewer }, { wire }) =>
    (wire.usernames as string[]).includes(viewer),
  'Conversation.contact': ({ world }, { wire }) =>
    wire.group_id === null
      ? toContact(
          world.messages.find(
            ({ conversation_id, contact }) =>
              conversation_id === wire.id && (contact as Item).id === wire.contact_id,
          ),
        )
      : null,
  'Conversation.unreadCount': (options, { wire }, { atMost }) => {
    const list = listOf('messages', { conversationId: wire.id });
    const page = connection(options, list, {
      first: atMost ?? 20,
      order: 'NEWEST_FIRST',
    });
    if (page instanceof Error) return page;
    const opened = Number(wire.last_opened_at ?? Number.NEGATIVE_INFINITY);
    return ((page as OracleObject).wire.nodes as readonly OracleObject[]).filter(
      ({ wire: message }) =>
        Number(message.created_at) > opened && !isSentBy(message, options.viewer),
    ).length;
  },
  'Conversation.hasNewActivity': (_options, { wire }) =>
    wire.last_active_at !== null &&
    Number(wire.last_active_at) > Number(wire.last_opened_at ?? Number.NEGATIVE_INFINITY),
  'Message.contact': (_options, { wire }) => ({ type: 'Contact', wire: wire.contact }),
  'Message.reactions': (_options, { wire }) => mergeReactions(wire.reactions as object[]),
};

/** These are null where the messages that the gateway has seen do not show who the caller is. */
export const MAY_BE_NULL: readonly string[] = [
  'Query.viewer',
  'Message.isMine',
  'Reaction.isMine',
  'Conversation.contact',
  'Conversation.unreadCount',
];

type Wire = OracleObject['wire'];

const isSentBy = ({ contact }: Wire, username: string): boolean =>
  (contact as Wire).username === username;

const toContact = (message: Item | undefined): OracleObject | null =>
  message === undefined ? null : { type: 'Contact', wire: message.contact as Wire };

/** The fields that `LISTED` describes. */
function fieldsOf(kind: Kind): Record<string, Resolve> {
  const { type, single, filters, links, ids, lists } = LISTED[kind];
  const isRefused = (args: Arguments) =>
    Object.entries(filters).some(
      ([name, filter]) => 'idIn' in filter && args[name] != null && isBadId(args[name]),
    );
  const fields: Record<string, Resolve> = {
    [`Query.${single}`]: ({ world }, _root, { id }) =>
      isBadId(id) ? BAD_INPUT : find(world, kind, id),
    [`Query.${kind}`]: (options, _root, args) =>
      isRefused(args) ? BAD_INPUT : connection(options, listOf(kind, args), args),
    [`${type}.nodeId`]: (_options, { wire }) => nodeIdOf(type, wire.id),
  };
  for (const [name, [to, by]] of Object.entries(links)) {
    fields[`${type}.${name}`] = ({ world }, { wire }) =>
      wire[by] === null ? null : find(world, to, wire[by]);
  }
  for (const [name, [to, by]] of Object.entries(ids)) {
    fields[`${type}.${name}`] = (_options, { wire }) =>
      wire[by] === null ? null : { type: to, wire: { id: wire[by] } };
  }
  for (const [name, [of, by]] of Object.entries(lists)) {
    fields[`${type}.${name}`] = (options, { wire }, page) =>
      connection(options, listOf(of, { [by]: wire.id }), page);
  }
  return fields;
}

/** A field's value. By default it is the property with the REST name; an Iso field is a timestamp as a date. */
export function resolve(
  options: OracleOptions,
  parent: OracleObject,
  field: string,
  args: Arguments,
): unknown {
  if (parent.type === 'Mutation' && options.mutate !== undefined) {
    return options.mutate(field, args.input as Arguments);
  }
  const special = FIELDS[`${parent.type}.${field}`];
  if (special !== undefined) return special(options, parent, args);
  if (field in parent.wire) return parent.wire[field];
  const restName = toRestName(field);
  if (restName in parent.wire) return parent.wire[restName];
  const timestamp = parent.wire[restName.replace(/_iso$/, '')];
  if (timestamp === null) return null;
  if (typeof timestamp !== 'number' || !field.endsWith('Iso')) {
    throw new Error(`the oracle does not know ${parent.type}.${field}`);
  }
  return toIso(timestamp, options);
}

const PER_MILLISECOND: Readonly<Record<TimestampUnit, number>> = {
  seconds: 0.001,
  milliseconds: 1,
  microseconds: 1000,
};
const UNITS = Object.keys(PER_MILLISECOND) as readonly TimestampUnit[];

/** A timestamp that is no date in the service's unit may be in another one, if no setting says which. */
function toIso(
  timestamp: number,
  { timestampUnit, isUnitConfigured }: OracleOptions,
): string | Error {
  const date = dateOf(timestamp, timestampUnit);
  if (date !== null) return date;
  const others = isUnitConfigured ? [] : UNITS.map((unit) => dateOf(timestamp, unit));
  return (
    others.find((other) => other !== null && isUsual(other)) ?? failure('NOT_CONFIGURED')
  );
}

/** Null if the year of the date would not have four digits. */
function dateOf(timestamp: number, unit: TimestampUnit): string | null {
  const date = new Date(timestamp / PER_MILLISECOND[unit]);
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  return /^\d{4}-/.test(text) ? text : null;
}

/** From 2000 to 2286: no number is such a date in two units. */
const isUsual = (date: string): boolean => date >= '2000' && date < '2287';

/** Whether an id cannot be one segment of a path. */
export function isBadId(id: unknown): boolean {
  const text = String(id);
  const bytes = Buffer.byteLength(text);
  const isDots = text === '.' || text === '..';
  return bytes === 0 || bytes > 1024 || isDots || /\p{Cc}|\p{Surrogate}/u.test(text);
}

function find(world: World, kind: Kind, id: unknown): OracleObject | null {
  const wire = world[kind].find((item) => item.id === id);
  return wire === undefined ? null : { type: LISTED[kind].type, wire };
}

function node(world: World, nodeId: unknown): OracleObject | Error | null {
  const [, type = '', id] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(String(nodeId), 'base64url').toString()) ?? [];
  const kind = KINDS.find((one) => LISTED[one].type === type);
  if (nodeIdOf(type, id) !== nodeId || kind === undefined) return BAD_INPUT;
  return isBadId(id) ? BAD_INPUT : find(world, kind, id);
}

/** One reaction for each name, in the order of the names, with each username once. */
export function mergeReactions(reactions: readonly object[]): OracleObject[] {
  const pairs = reactions.flatMap((object) => Object.entries(object));
  return [...new Set(pairs.map(([name]) => name))].map((name) => {
    const all = pairs.filter(([other]) => other === name);
    const usernames = [...new Set(all.flatMap(([, users]) => users as string[]))];
    return { type: 'Reaction', wire: { name, usernames, count: usernames.length } };
  });
}
