import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../rest/decode.ts';
import { toBearerToken, toSecret, withoutSecret } from '../credentials.ts';
import { type ForwardedNames, nameOf, pickForwarded } from '../forwarded.ts';

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
  readonly name: string | null;
  readonly secret: string | null;
}

/** As much as Node takes of all headers. Unit: characters. */
const MAX_AUTHORIZATION = 16_384;
/** A proxy in front writes these into the upgrade, and cannot see the payload. */
const OF_PROXIES = 'x-forwarded-';

/**
 * Reads who the caller is: from `Authorization` in the payload of `connection_init` or, if that has none, from the header
 * of the upgrade; and the headers to forward, each in the same way, but those of proxies from the upgrade alone. Null if they are too
 * long, or malformed.
 */
export function toSocketCaller(
  { id, headers, address }: Handshake,
  payload: unknown,
  forwarded: ForwardedNames,
): SocketCaller | null {
  const given = isObject(payload)
    ? (payload.Authorization ?? payload.authorization)
    : null;
  const authorization = typeof given === 'string' ? given : headers.authorization;
  const ofClients = forwarded?.filter((name) => !name.startsWith(OF_PROXIES)) ?? null;
  const picked = pickForwarded(payload, ofClients);
  if ((authorization?.length ?? 0) > MAX_AUTHORIZATION || picked === null) return null;
  const all = {
    ...headers,
    ...picked,
    'content-type': 'application/json',
    ...(authorization === undefined ? {} : { authorization }),
  };
  const secret = toBearerToken(authorization) ?? toSecret(authorization);
  const name = nameOf(all, forwarded);
  if (name === undefined) return null;
  return { id: withoutSecret(id, secret), name, secret, address, headers: all };
}
