import qs from 'qs';
import { type Answers, DEFAULT_ANSWERS } from '../../../src/embedded/answers.ts';
import { nodeIdOf } from '../../support/wire.ts';
import { mergeReactions } from '../oracle/fields.ts';
import { toRestName } from '../oracle/lists.ts';
import {
  type Arguments,
  BAD_INPUT,
  failure,
  type Item,
  type Order,
  type World,
} from '../oracle/world.ts';
import { isBadClientMutationId, REFUSED } from './refused.ts';
import { type Call, type InitialState, openService, type Service } from './service.ts';

/**
 * A second service, with the same data, that gets each mutation as the documented call, without the gateway.
 * `isUnitConfigured`: otherwise the gateway reads a conversation before it writes a date-time to it.
 */
export async function openTwin(initial: InitialState, isUnitConfigured: boolean) {
  const answers = { ...DEFAULT_ANSWERS, ...initial.answers };
  const service = await openService(initial);
  let { world } = initial;
  /** How each mutation ended, `sendMessage: NOT_FOUND`. */
  const outcomes: string[] = [];
  /** What was sent under each `clientMutationId`. */
  const sent = new Map<unknown, { readonly form: string; readonly payload: object }>();

  async function carryOut(field: string, input: Arguments): Promise<unknown> {
    const isRefused = REFUSED[field]?.(input) ?? true;
    if (isRefused || isBadClientMutationId(input.clientMutationId))
      return 'refused, unsent';
    if (field.endsWith('Reaction')) return react(field, input);
    const call = toCall(field, input, answers);
    const key = field === 'sendMessage' ? input.clientMutationId : null;
    const before = sent.get(key);
    if (before !== undefined)
      return before.form === call.form ? before.payload : 'refused, unsent';
    if (!isUnitConfigured && typeof input.archivedAtIso === 'string') {
      const { status } = await service.send({ method: 'GET', path: call.path });
      if (status >= 300) return CODES[status];
    }
    const { status, text } = await service.send(call);
    if (status >= 300) return CODES[status];
    world = await readAfter(world, service, answers);
    const wire = call.method === 'DELETE' ? null : JSON.parse(text);
    const payload = toPayload(field, input, wire);
    if (key != null) sent.set(key, { form: call.form ?? '', payload });
    return payload;
  }

  /** Reads the message, and writes all of its reactions if one of them changes. */
  async function react(field: string, input: Arguments): Promise<unknown> {
    const { messageId: id, name, username } = input;
    const path = `/v1/messages/${encodeURIComponent(`${id}`)}`;
    const read = await service.send({ method: 'GET', path });
    if (read.status >= 300) return CODES[read.status];
    const user = String(username ?? 'grace');
    const isAdded = field === 'addReaction';
    const reactions = new Map(
      reactionsOf(read.text).map((one) => [one.name, one.usernames]),
    );
    const own = reactions.get(String(name)) ?? [];
    if (own.includes(user) === isAdded)
      return toPayload(field, input, JSON.parse(read.text));
    if (isAdded) reactions.delete(String(name));
    const usernames = isAdded ? [...own, user] : own.filter((one) => one !== user);
    reactions.set(String(name), usernames);
    const all = Array.from(reactions, ([name, usernames]) => ({ name, usernames }));
    const call = toCall('updateMessage', { id, reactions: all }, answers);
    const { status, text } = await service.send(call);
    if (status >= 300) return CODES[status];
    world = await readAfter(world, service, answers);
    const after = reactionsOf(text).find((one) => one.name === name)?.usernames ?? [];
    return after.includes(user) === isAdded
      ? toPayload(field, input, JSON.parse(text))
      : 'CONFLICT';
  }

  return {
    /** After the last mutation. */
    get world() {
      return world;
    },
    /** The writes that the gateway must have sent, `PUT /v1/messages/m1`. */
    writes: service.writes,
    outcomes,
    /** Carries out one mutation; resolves to its payload, or to the error of its field. */
    async mutate(field: string, input: Arguments) {
      const ended = await carryOut(field, input);
      const isDone = typeof ended === 'object';
      outcomes.push(`${field}: ${isDone ? 'done' : ended}`);
      if (isDone) return ended;
      return ended === 'refused, unsent' ? BAD_INPUT : failure(String(ended));
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

export type Twin = Awaited<ReturnType<typeof openTwin>>;

/** Source: docs/errors.md. */
const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_USER_INPUT',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
};

/** The documented call of a mutation. Source: Endpoints, "Messages" and "Conversations". */
function toCall(field: string, input: Arguments, answers: Answers): Call {
  const { id, archivedAtIso, reactions, clientMutationId: _, ...others } = input;
  const resource = field.endsWith('Message') ? '/v1/messages' : '/v1/conversations';
  const path = id === undefined ? resource : `${resource}/${encodeURIComponent(`${id}`)}`;
  if (field.startsWith('delete')) return { method: 'DELETE', path };
  const fields = Object.entries({
    ...others,
    ...(reactions !== undefined && { reactions: byName(reactions as Reactions) }),
    ...(archivedAtIso !== undefined && {
      archivedAt: toTimestamp(archivedAtIso as string | null, answers),
    }),
  })
    .filter(([, value]) => id !== undefined || value !== null)
    .map(([name, value]) => [toRestName(name), withEmptyTexts(value)]);
  return {
    method: id === undefined ? 'POST' : 'PUT',
    path,
    form: qs.stringify(Object.fromEntries(fields)),
  };
}

const reactionsOf = (message: string) =>
  mergeReactions(JSON.parse(message).reactions).map(({ wire }) => ({
    name: String(wire.name),
    usernames: wire.usernames as readonly string[],
  }));

type Reactions = readonly { name: string; usernames: readonly string[] }[] | null;

/** Usernames by the name of the reaction, repeated names merged. */
const byName = (reactions: Reactions): object =>
  Object.fromEntries(
    [...Map.groupBy(reactions ?? [], ({ name }) => name)].map(([name, same]) => [
      name,
      same.flatMap(({ usernames }) => usernames),
    ]),
  );

function toTimestamp(iso: string | null, { timestampUnit }: Answers): number | null {
  if (iso === null) return null;
  const ms = Date.parse(iso);
  if (timestampUnit === 'seconds') return Math.floor(ms / 1000);
  return timestampUnit === 'milliseconds' ? ms : ms * 1000;
}

/** A form has the empty text for null, an empty list and an empty object. See docs/open-points.md. */
function withEmptyTexts(value: unknown): unknown {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.length === 0 ? '' : value.map(withEmptyTexts);
  // A literal has an undefined value for a variable that the request does not give.
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  if (entries.length === 0) return '';
  return Object.fromEntries(entries.map(([key, inner]) => [key, withEmptyTexts(inner)]));
}

/** The world after a write. Remembers deleted messages, because their cursors still mark a place. */
async function readAfter(
  { messages, cursors, past }: World,
  service: Service,
  { order }: Answers,
): Promise<World> {
  const now = await service.readState();
  const isGone = ({ id }: Item) => !now.messages.some((one) => one.id === id);
  const deleted = [...(past?.deleted ?? []), ...messages.filter(isGone)];
  return { ...now, cursors, past: { order: toOrder(order), deleted } };
}

/** The order of messages. Open point: order of lists. */
function toOrder(order: Answers['order']): Order {
  const byId: Order = (a, b) => (a.id < b.id ? -1 : 1);
  const byTime: Order = (a, b) =>
    Number(a.created_at) - Number(b.created_at) || byId(a, b);
  if (order === 'id') return byId;
  return order === 'oldest' ? byTime : (a, b) => byTime(b, a);
}

function toPayload(
  field: string,
  { id, clientMutationId = null }: Arguments,
  wire: Item | null,
): object {
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}Payload`;
  const object = field.endsWith('Conversation') ? 'Conversation' : 'Message';
  if (wire !== null)
    return {
      type,
      wire: { clientMutationId, [object.toLowerCase()]: { type: object, wire } },
    };
  const nodeId = nodeIdOf(object, id);
  return {
    type,
    wire: {
      clientMutationId,
      [`deleted${object}Id`]: id,
      [`deleted${object}NodeId`]: nodeId,
    },
  };
}
