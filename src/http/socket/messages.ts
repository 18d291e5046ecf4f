import { type Message, MessageType, parseMessage } from 'graphql-ws';
import { isObject } from '../../rest/decode.ts';

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
