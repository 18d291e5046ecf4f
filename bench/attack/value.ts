import { encodeCursor } from '../../src/paging/cursor.ts';

/**
 * A value of JSON as a rule: a request of a megabyte is a few numbers, so that a search can change it.
 * Counts are cut where the text would be longer than it may be.
 */
export type Value =
  /** The text as it is: a number, `true`, `null`, or anything that is no JSON. */
  | { kind: 'raw'; raw: string }
  /** A string: a part repeated. Distinct: each use of it ends with another number. */
  | { kind: 'text'; part: string; count: number; distinct: boolean }
  | { kind: 'list'; of: Value; count: number }
  /**
   * An object with this many keys, all different and of this length at least. With `firstKey`, they are numbers from this one
   * on; otherwise they begin with a letter.
   */
  | { kind: 'object'; of: Value; keys: number; keyLength: number; firstKey?: number }
  /** A value inside this many lists or objects. */
  | { kind: 'nested'; of: Value; inside: 'list' | 'object'; depth: number }
  /** An object with these fields. */
  | { kind: 'fields'; fields: Record<string, Value> }
  | { kind: 'nodeId'; type: 'Message' | 'Conversation' | 'Contact'; distinct: boolean }
  /** A cursor with a right checksum, of the list of all messages or of one conversation's. */
  | { kind: 'cursor'; position: number; list: string };

interface Writing {
  /** The most characters of the text; counts are cut to it. */
  readonly room: number;
  /** A number that no other use gets. */
  readonly next: () => number;
}

/** Between two keys that are numbers. An engine keeps numbers without gaps in a list, which is cheap. */
const KEY_STEP = 7;

export const text = (part: string, count: number, distinct = false): Value => ({
  kind: 'text',
  part,
  count,
  distinct,
});
export const raw = (json: string): Value => ({ kind: 'raw', raw: json });
export const list = (of: Value, count: number): Value => ({ kind: 'list', of, count });

/** An object whose keys are large numbers, which engines keep apart from other keys. */
export const numberKeys = (keys: number, of = raw('0')): Value => ({
  kind: 'object',
  of,
  keys,
  keyLength: 1,
  firstKey: 1_000_000_000,
});

/** Reactions: one object with this many names, each with these usernames. */
export const reactions = (names: number, usernames: Value): Value =>
  list({ kind: 'object', of: usernames, keys: names, keyLength: 1 }, 1);

/** A counter from 0. */
export function createCounter(first = 0): () => number {
  let count = first;
  return () => count++;
}

/** Writes a value as JSON. */
export function writeValue(value: Value, writing: Writing): string {
  const { room, next } = writing;
  switch (value.kind) {
    case 'raw':
      return value.raw;
    case 'text': {
      // Without the quotes.
      const escaped = JSON.stringify(value.part).slice(1, -1);
      const fitting = Math.floor(room / Math.max(1, escaped.length));
      const all = escaped.repeat(Math.max(0, Math.min(value.count, fitting)));
      return `"${all}${value.distinct ? next() : ''}"`;
    }
    case 'list':
      return `[${repeat(value.of, value.count, (inner) => inner, writing)}]`;
    case 'object': {
      const { keys, keyLength, firstKey } = value;
      const toName = (index: number) =>
        firstKey === undefined
          ? `k${index}`.padEnd(keyLength, 'x')
          : String(firstKey + index * KEY_STEP);
      return `{${repeat(value.of, keys, (inner, index) => `"${toName(index)}":${inner}`, writing)}}`;
    }
    case 'nested': {
      const [open, close] = value.inside === 'list' ? ['[', ']'] : ['{"k":', '}'];
      const inner = writeValue(value.of, writing);
      const fitting = Math.floor((room - inner.length) / (open.length + 1));
      const levels = Math.max(0, Math.min(value.depth, fitting));
      return open.repeat(levels) + inner + close.repeat(levels);
    }
    case 'fields': {
      // The fields share the room.
      const entries = Object.entries(value.fields);
      const each = { ...writing, room: Math.floor(room / entries.length) };
      return `{${entries.map(([name, inner]) => `"${name}":${writeValue(inner, each)}`).join()}}`;
    }
    case 'nodeId': {
      const number = value.distinct ? next() : 1;
      return `"${Buffer.from(`${value.type}:x${number}`).toString('base64url')}"`;
    }
    case 'cursor': {
      const { position, list } = value;
      const place = { position, id: `x${position}`, before: [], after: [], head: null };
      return `"${encodeCursor(place, { strategy: 'limit', list })}"`;
    }
  }
}

/** Whether two uses of a value differ. */
function isDistinct(value: Value): boolean {
  if (value.kind === 'text' || value.kind === 'nodeId') return value.distinct;
  if (value.kind === 'fields') return Object.values(value.fields).some(isDistinct);
  return 'of' in value && isDistinct(value.of);
}

/** Values after one another, as many as there is room for. */
function repeat(
  of: Value,
  count: number,
  write: (inner: string, index: number) => string,
  writing: Writing,
): string {
  const parts: string[] = [];
  const same = isDistinct(of) ? null : writeValue(of, writing);
  let { room } = writing;
  for (let index = 0; index < count; index += 1) {
    const part = write(same ?? writeValue(of, writing), index);
    room -= part.length + 1;
    if (room < 0) break;
    parts.push(part);
  }
  return parts.join();
}
