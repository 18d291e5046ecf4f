import type { WireObject } from '../rest/decode.ts';
import { isObject } from './list.ts';

/** What objects hold that the interface does not show, lack that it promises, or hold in another type. */
export interface FieldsFinding {
  /** Each as `message.thread_id: string`. */
  readonly unknown: readonly string[];
  readonly missing: readonly string[];
  readonly otherType: readonly string[];
}

type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array';
type Promised = Readonly<Record<string, Kind>>;

/** Source: Resources and their fields. A timestamp is a number. */
const PAGE: Promised = { has_more: 'boolean', data: 'array' };
const MESSAGE: Promised = {
  id: 'string',
  conversation_id: 'string',
  contact: 'object',
  message: 'string',
  reactions: 'array',
  attachments: 'array',
  read_at: 'number',
  created_at: 'number',
  updated_at: 'number',
};
const CONTACT: Promised = {
  id: 'string',
  username: 'string',
  phone_number: 'string',
  avatar_url: 'string',
  last_active_at: 'number',
  created_at: 'number',
};
const CONVERSATION: Promised = {
  id: 'string',
  contact_id: 'string',
  group_id: 'string',
  pinned_message_id: 'string',
  is_pinned: 'boolean',
  is_muted: 'boolean',
  last_active_at: 'number',
  last_opened_at: 'number',
  created_at: 'number',
  archived_at: 'number',
};

/** What was seen of the service's objects. */
export interface Objects {
  /** Answers of list endpoints, whole. */
  readonly pages: readonly WireObject[];
  readonly messages: readonly WireObject[];
  readonly conversations: readonly WireObject[];
}

/** Compares every object seen with what the interface shows. */
export function compareFields(seen: Objects): FieldsFinding {
  const contacts = seen.messages.map(({ contact }) => contact).filter(isObject);
  const found = [
    compare('list', seen.pages, PAGE),
    compare('message', seen.messages, MESSAGE),
    compare('contact', contacts, CONTACT),
    compare('conversation', seen.conversations, CONVERSATION),
  ];
  return {
    unknown: found.flatMap(({ unknown }) => unknown),
    missing: found.flatMap(({ missing }) => missing),
    otherType: found.flatMap(({ otherType }) => otherType),
  };
}

function compare(
  name: string,
  objects: readonly WireObject[],
  promised: Promised,
): FieldsFinding {
  const unknown = new Set<string>();
  const missing = new Set<string>();
  const otherType = new Set<string>();
  for (const object of objects) {
    for (const [field, value] of Object.entries(object)) {
      const line = `${name}.${toKeyName(field)}: ${kindOf(value)}`;
      if (!Object.hasOwn(promised, field)) unknown.add(line);
      else if (value !== null && kindOf(value) !== promised[field]) otherType.add(line);
    }
    for (const field of Object.keys(promised)) {
      if (!Object.hasOwn(object, field)) missing.add(`${name}.${field}`);
    }
  }
  return { unknown: [...unknown], missing: [...missing], otherType: [...otherType] };
}

/** The JSON type of a value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A key as it may be shown: one that is no plain name could be somebody's data. */
export const toKeyName = (key: string): string =>
  /^[A-Za-z_][\w-]{0,39}$/.test(key) ? key : '(a key)';
