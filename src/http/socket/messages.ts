import { type Message, MessageType, parseMessage } from 'graphql-ws';
import { isObject } from '../../rest/decode.ts';
import { parseJson } from '../../rest/json.ts';

/** Longer ids of operations would be kept as long as these. Unit: characters. */
export const MAX_ID_LENGTH = 256;

/** Reads a message of a client, given as JSON; null if it is none. */
export function readMessage(json: unknown): Message | null {
  try {
    const message = parseMessage(withQuery(json));
    return 'id' in message && message.id.length > MAX_ID_LENGTH ? null : message;
  } catch {
    return null;
  }
}

/** A persisted operation has no text, but the protocol demands one. */
function withQuery(json: unknown): unknown {
  if (!isObject(json) || json.type !== MessageType.Subscribe) return json;
  const { payload } = json;
  if (!isObject(payload) || payload.query != null) return json;
  return { ...json, payload: { ...payload, query: '' } };
}

/** The result of an operation. `json`: the result. */
export const toNext = (id: string, json: string): string =>
  `{"id":${JSON.stringify(id)},"type":"next","payload":${json}}`;

/** The end of an operation that failed, or was refused. */
export const toError = (id: string, errors: unknown): string =>
  JSON.stringify({ id, type: MessageType.Error, payload: errors });

export const toComplete = (id: string): string =>
  JSON.stringify({ id, type: MessageType.Complete });

export const toPong = (payload: unknown): string =>
  JSON.stringify({ type: MessageType.Pong, payload });

/** `requestId`: of the socket; those of its operations begin with it. */
export const toAck = (requestId: string): string =>
  JSON.stringify({ type: MessageType.ConnectionAck, payload: { requestId } });

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;

/** What each byte of JSON does to the depth: 1 after `{` and `[`, -1 after `}` and `]`. */
const DEPTH_AFTER = new Int8Array(256);
for (const mark of '{[') DEPTH_AFTER[mark.charCodeAt(0)] = 1;
for (const mark of '}]') DEPTH_AFTER[mark.charCodeAt(0)] = -1;

const NAMES = { id: Buffer.from('"id"'), type: Buffer.from('"type"') };
/** Longer texts are ignored: an id has at most 256 characters, each of which may be escaped. Unit: bytes. */
const MAX_TEXT_BYTES = 2048;

/** Finds a field of a message without parsing it, which would take time and memory; null if it is no text, or not there. */
export function findField(data: Buffer, name: keyof typeof NAMES): string | null {
  const wanted = NAMES[name];
  let depth = 0;
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at] as number;
    depth += DEPTH_AFTER[byte] as number;
    if (byte !== QUOTE) continue;
    const end = endOfString(data, at);
    const isName =
      depth === 1 &&
      end - at + 1 === wanted.length &&
      wanted.every((one, offset) => one === data[at + offset]);
    const value = isName ? readValue(data, end + 1) : null;
    if (value !== null) return value;
    at = end;
  }
  return null;
}

/** The text behind the name of a field which ends before this place. */
function readValue(data: Buffer, afterName: number): string | null {
  const colon = skipSpace(data, afterName);
  const begin = skipSpace(data, colon + 1);
  if (data[colon] !== COLON || data[begin] !== QUOTE) return null;
  const end = endOfString(data, begin);
  if (end - begin > MAX_TEXT_BYTES) return null;
  const value = parseJson(data.toString('utf8', begin, end + 1));
  return typeof value === 'string' ? value : null;
}

/** The place of the next byte that is no space. Control characters count as spaces: the parser refuses them later. */
function skipSpace(data: Buffer, from: number): number {
  let at = from;
  while ((data[at] ?? QUOTE) <= SPACE) at += 1;
  return at;
}

/** The place of the quote that ends the string which begins here. */
function endOfString(data: Buffer, begin: number): number {
  for (let at = begin + 1; at < data.length; at += 1) {
    if (data[at] === QUOTE) return at;
    if (data[at] === BACKSLASH) at += 1;
  }
  return data.length;
}
