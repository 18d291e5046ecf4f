import { encodeCursor } from '../../../src/paging/cursor.ts';
import type { Value } from './genome.ts';

/** Where a value is written: as JSON, or as a literal of GraphQL, whose keys have no quotes. */
export interface Writing {
  readonly as: 'JSON' | 'literal';
  /** The most characters of the text; counts are cut to it. */
  readonly room: number;
  /** A number that no other use gets. */
  readonly next: () => number;
}

/** A document has a bound of tokens, and JSON none. */
const MAX_IN_LITERAL = 3000;

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

/** A counter from 0. */
export function createCounter(first = 0): () => number {
  let count = first;
  return () => count++;
}

/** Writes a value. */
export function writeValue(value: Value, writing: Writing): string {
  switch (value.kind) {
    case 'raw':
      return value.raw;
    case 'text':
      return writeText(value, writing);
    case 'list':
      return `[${repeat(value.of, value.count, (inner) => inner, writing)}]`;
    case 'object':
      return `{${repeat(value.of, value.keys, (inner, index) => toKey(key(index, value), writing) + inner, writing)}}`;
    case 'nested':
      return writeNested(value, writing);
    case 'fields':
      return writeFields(value.fields, writing);
    case 'nodeId': {
      const number = value.distinct ? writing.next() : 1;
      return `"${Buffer.from(`${value.type}:x${number}`).toString('base64url')}"`;
    }
    case 'cursor':
      return `"${writeCursor(value.position, value.list)}"`;
    case 'variable':
      return writing.as === 'literal' ? `$${value.name}` : 'null';
  }
}

/** Whether two uses of a value differ. */
export function isDistinct(value: Value): boolean {
  if (value.kind === 'text' || value.kind === 'nodeId') return value.distinct;
  if (value.kind === 'fields') return Object.values(value.fields).some(isDistinct);
  return 'of' in value && isDistinct(value.of);
}

const key = (
  index: number,
  { keyLength, firstKey }: Extract<Value, { kind: 'object' }>,
): string =>
  firstKey === undefined
    ? `k${index}`.padEnd(keyLength, 'x')
    : String(firstKey + index * KEY_STEP);

const toKey = (name: string, { as }: Writing): string =>
  as === 'literal' && /^[A-Za-z_]\w*$/.test(name)
    ? `${name}:`
    : `${JSON.stringify(name)}:`;

/** Values after one another, as many as there is room for. */
function repeat(
  of: Value,
  count: number,
  write: (inner: string, index: number) => string,
  writing: Writing,
): string {
  const parts: string[] = [];
  const same = isDistinct(of) ? null : writeValue(of, writing);
  let room = writing.room;
  const most = writing.as === 'literal' ? Math.min(count, MAX_IN_LITERAL) : count;
  for (let index = 0; index < most; index += 1) {
    const part = write(same ?? writeValue(of, writing), index);
    room -= part.length + 1;
    if (room < 0) break;
    parts.push(part);
  }
  return parts.join();
}

/** The fields share the room. */
function writeFields(fields: Readonly<Record<string, Value>>, writing: Writing): string {
  const entries = Object.entries(fields);
  const each = { ...writing, room: Math.floor(writing.room / entries.length) };
  return `{${entries.map(([name, inner]) => toKey(name, writing) + writeValue(inner, each)).join()}}`;
}

function writeText(
  { part, count, distinct }: Extract<Value, { kind: 'text' }>,
  { room, next }: Writing,
): string {
  // Without the quotes.
  const escaped = JSON.stringify(part).slice(1, -1);
  const fitting = Math.floor(room / Math.max(1, escaped.length));
  const text = escaped.repeat(Math.max(0, Math.min(count, fitting)));
  return `"${text}${distinct ? next() : ''}"`;
}

function writeNested(
  { of, inside, depth }: Extract<Value, { kind: 'nested' }>,
  writing: Writing,
): string {
  const [open, close] = inside === 'list' ? ['[', ']'] : [`{${toKey('k', writing)}`, '}'];
  const inner = writeValue(of, writing);
  const fitting = Math.floor((writing.room - inner.length) / (open.length + 1));
  const most = writing.as === 'literal' ? MAX_IN_LITERAL : depth;
  const levels = Math.max(0, Math.min(depth, fitting, most));
  return open.repeat(levels) + inner + close.repeat(levels);
}

const writeCursor = (position: number, list: string): string =>
  encodeCursor(
    { position, id: `x${position}`, before: [], after: [], head: null },
    { strategy: 'limit', list },
  );
