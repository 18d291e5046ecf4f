import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createRedactor } from '../rest/redact.ts';

/** "Bearer" in any case, a space, and one or more visible characters. Source: Authentication. */
const BEARER = /^bearer ([\x21-\x7e]+)$/i;

/** The token of an Authorization header, byte for byte; null if there is none. Open point: tokens. */
export const toBearerToken = (header: string | undefined): string | null =>
  BEARER.exec(header ?? '')?.[1] ?? null;

/**
 * The part of an Authorization header that no text may repeat: its token or, if the header is malformed, its last word.
 * Null for a header that holds only the scheme.
 */
export function toSecret(header: string | undefined): string | null {
  const words = header?.trim().split(/\s+/) ?? [];
  const isSchemeAlone = words.length === 1 && /^bearer$/i.test(words[0] ?? '');
  return isSchemeAlone ? null : words.at(-1) || null;
}

const REQUEST_ID = /^[\w.:+/=-]{1,128}$/;

/** The caller's `X-Request-Id`, if it is safe to log and does not contain the token; otherwise a new one. */
export function toRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  if (typeof given !== 'string' || !REQUEST_ID.test(given)) return randomUUID();
  return withoutSecret(given, toSecret(headers.authorization));
}

/** The request id, or a new one if it contains the secret. */
export const withoutSecret = (id: string, secret: string | null): string =>
  createRedactor(secret)(id) === id ? id : randomUUID();
