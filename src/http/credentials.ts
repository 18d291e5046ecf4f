import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createRedactor } from '../rest/redact.ts';

/** "Bearer" in any case, a space, and one or more visible characters. Source: Authentication. */
const BEARER = /^bearer ([\x21-\x7e]+)$/i;

/** The token of an Authorization header, byte for byte; null if there is none. Open point: tokens. */
export const toBearerToken = (header: string | undefined): string | null =>
  BEARER.exec(header ?? '')?.[1] ?? null;

/** How many words of a malformed header are looked for: a text is searched for each. */
const MAX_WORDS = 16;

/**
 * The part of an Authorization header that no text may repeat: its token or, if the header is malformed, its longest words, with
 * spaces between them. Null for a header that holds only the scheme.
 */
export function toSecret(header = ''): string | null {
  const words = header
    .split(/[^\w.~+/-]+/)
    .filter((word) => !/^(?:bearer)?$/i.test(word));
  const longest = words.sort((one, other) => other.length - one.length);
  return toBearerToken(header) ?? (longest.slice(0, MAX_WORDS).join(' ') || null);
}

const REQUEST_ID = /^[\w.:+/=-]{1,128}$/;

/** The caller's `X-Request-Id`, if it is safe to log and does not contain the token; otherwise a new one. */
export function toRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  if (typeof given !== 'string' || !REQUEST_ID.test(given)) return randomUUID();
  return withoutSecret(given, toSecret(headers.authorization));
}

/** The request id, or a new one if it contains the secret, or may contain it. */
export const withoutSecret = (id: string, secret: string | null): string =>
  secret?.includes(' ') || createRedactor(secret)(id) !== id ? randomUUID() : id;
