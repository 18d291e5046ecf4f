import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../rest/decode.ts';
import { toBearerToken, toSecret, withoutSecret } from '../credentials.ts';

/** The request that opened a socket. */
export interface Handshake {
  /** The request id of the socket. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** Of the other end. */
  readonly address: string | undefined;
}

/** Who sends operations over a socket, once `connection_init` has come. `headers`: as if each had been sent over HTTP. */
export interface SocketCaller extends Handshake {
  readonly token: string | null;
  readonly secret: string | null;
}

/** As much as Node takes of all headers. Unit: characters. */
const MAX_AUTHORIZATION = 16_384;

/**
 * Reads who the caller is: from `Authorization` in the payload of `connection_init` or, if that has none, from the header
 * of the upgrade. Null if it is too long.
 */
export function toSocketCaller(
  { id, headers, address }: Handshake,
  payload: unknown,
): SocketCaller | null {
  const given = isObject(payload)
    ? (payload.Authorization ?? payload.authorization)
    : null;
  const authorization = typeof given === 'string' ? given : headers.authorization;
  if (authorization !== undefined && authorization.length > MAX_AUTHORIZATION)
    return null;
  const token = toBearerToken(authorization);
  const secret = token ?? toSecret(authorization);
  return {
    id: withoutSecret(id, secret),
    token,
    secret,
    address,
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    },
  };
}
