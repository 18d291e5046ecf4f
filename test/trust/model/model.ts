import { type Answers, DEFAULT_ANSWERS } from '../../../src/embedded/answers.ts';
import { newId } from '../arbitrary/targets.ts';
import {
  type Arguments,
  BAD_INPUT,
  FieldError,
  type OracleObject,
} from '../oracle/values.ts';
import { type Item, nodeIdOf, type Order, type World } from '../oracle/world.ts';
import { START_MS, TICK_MS } from './clock.ts';
import { CONVERSATION_WRITES } from './conversations.ts';
import { MESSAGE_WRITES } from './messages.ts';
import { REFUSED } from './refused.ts';
import { find, type Write, type WriteResult } from './state.ts';

/** Predicts the data of the service without reading it. */
export interface Model {
  /** After the last mutation. */
  readonly world: World;
  /** The writes that the gateway must have sent, `PUT /v1/messages/m1`. */
  readonly calls: readonly string[];
  /** How each mutation ended, `sendMessage: NOT_FOUND`. */
  readonly outcomes: readonly string[];
  /** Carries out one mutation and returns its payload. */
  mutate(field: string, input: Arguments): OracleObject | FieldError;
}

export interface ModelOptions {
  /** The world before the first mutation. */
  readonly world: World;
  readonly answers: Partial<Answers>;
  /** The user whose token sends the mutations. */
  readonly username: string;
  /** Whether TIMESTAMP_UNIT is set. Otherwise the gateway reads a conversation before it writes a date-time to it. */
  readonly isUnitConfigured: boolean;
}

const WRITES: Readonly<Record<string, Write>> = {
  ...MESSAGE_WRITES,
  ...CONVERSATION_WRITES,
};

/** A model of a fresh embedded service. */
export function createModel(options: ModelOptions): Model {
  const answers = { ...DEFAULT_ANSWERS, ...options.answers };
  const owner = ownerOf(options);
  let { world } = options;
  let clockMs = START_MS;
  let created = 0;
  const calls: string[] = [];
  const outcomes: string[] = [];

  const toTimestamp = TO_TIMESTAMP[answers.timestampUnit];

  const nextId = (kind: 'msg' | 'conv') => {
    created += 1;
    return newId(kind, created);
  };

  /** The read before the write fails, so nothing is written. */
  const isUnknownRead = ({ id, archivedAtIso }: Arguments): boolean =>
    !options.isUnitConfigured &&
    typeof archivedAtIso === 'string' &&
    find(world.conversations, id) === undefined;

  function write(field: string, input: Arguments): WriteResult | FieldError | undefined {
    if (!isUnknownRead(input)) calls.push(toCall(field, input.id));
    const state = {
      world,
      answers,
      owner,
      now: toTimestamp(clockMs),
      toTimestamp,
      newId: nextId,
    };
    return WRITES[field]?.(state, input);
  }

  function mutate(field: string, input: Arguments): OracleObject | FieldError {
    const isRefused = REFUSED[field]?.(input) ?? true;
    const written = isRefused ? BAD_INPUT : (write(field, input) ?? BAD_INPUT);
    if (written instanceof FieldError) {
      outcomes.push(`${field}: ${isRefused ? 'refused, unsent' : written.code}`);
      return written;
    }
    outcomes.push(`${field}: done`);
    clockMs += TICK_MS;
    world = applyWrite(world, written, answers);
    return toPayload(field, input, written.answer);
  }

  return {
    get world() {
      return world;
    },
    calls,
    outcomes,
    mutate,
  };
}

const ownerOf = ({ world, username }: ModelOptions): unknown =>
  world.messages
    .map(({ contact }) => contact as Item)
    .find((contact) => contact.username === username);

/** Converts milliseconds since 1970. */
const TO_TIMESTAMP: Readonly<Record<Answers['timestampUnit'], (ms: number) => number>> = {
  seconds: (ms) => Math.floor(ms / 1000),
  milliseconds: (ms) => ms,
  microseconds: (ms) => ms * 1000,
};

/** The world after a write, with lists in the service's order. Open point: order of lists. */
function applyWrite(world: World, written: WriteResult, { order }: Answers): World {
  const messages = written.messages ?? world.messages;
  const conversations = written.conversations ?? world.conversations;
  const byCreation = toOrder(order, ({ created_at }) => created_at);
  const byActivity = toOrder(
    order,
    ({ last_active_at, created_at }) => last_active_at ?? created_at,
  );
  const deleted = world.messages.filter(({ id }) => !messages.some((m) => m.id === id));
  return {
    ...world,
    messages: messages.toSorted(byCreation),
    conversations: conversations.toSorted(byActivity),
    past: { order: byCreation, deleted: [...(world.past?.deleted ?? []), ...deleted] },
  };
}

function toOrder(order: Answers['order'], at: (wire: Item) => unknown): Order {
  const byId: Order = (a, b) => (a.id < b.id ? -1 : 1);
  const byTime: Order = (a, b) => Number(at(a)) - Number(at(b)) || byId(a, b);
  if (order === 'id') return byId;
  return order === 'oldest' ? byTime : (a, b) => byTime(b, a);
}

function toCall(field: string, id: unknown): string {
  const path = field.endsWith('Message') ? '/v1/messages' : '/v1/conversations';
  if (id === undefined) return `POST ${path}`;
  const method = field.startsWith('delete') ? 'DELETE' : 'PUT';
  return `${method} ${path}/${encodeURIComponent(String(id))}`;
}

function toPayload(field: string, { id }: Arguments, wire: Item | null): OracleObject {
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}Payload`;
  const object = field.endsWith('Message') ? 'Message' : 'Conversation';
  if (wire === null) {
    const nodeId = nodeIdOf(object, id);
    return {
      type,
      wire: { [`deleted${object}Id`]: id, [`deleted${object}NodeId`]: nodeId },
    };
  }
  return { type, wire: { [object.toLowerCase()]: { type: object, wire } } };
}
