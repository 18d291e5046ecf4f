import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createRedactor } from '../rest/redact.ts';
import { toSecret } from './credentials.ts';

const ACCEPTED = /^[\w.:+/=-]{1,128}$/;

/** The caller's `X-Request-Id`, if it is safe to log and does not contain the token; otherwise a new one. */
export function toRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  if (typeof given !== 'string' || !ACCEPTED.test(given)) return randomUUID();
  const redact = createRedactor(toSecret(headers.authorization));
  return redact(given) === given ? given : randomUUID();
}
