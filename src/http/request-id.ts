import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createRedactor } from '../rest/redact.ts';
import { toSecret } from './credentials.ts';

const ACCEPTED = /^[\w.:+/=-]{1,128}$/;

/** The caller's `X-Request-Id`, if it is safe to log and does not contain the token; otherwise a new one. */
export function toRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  if (typeof given !== 'string' || !ACCEPTED.test(given)) return randomUUID();
  return withoutSecret(given, toSecret(headers.authorization));
}

/** The request id, or a new one if it contains the secret. */
export const withoutSecret = (id: string, secret: string | null): string =>
  createRedactor(secret)(id) === id ? id : randomUUID();
