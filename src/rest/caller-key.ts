import { hash, randomBytes } from 'node:crypto';

/** New in each process, so that a key says nothing about its token outside the process. */
const SALT = randomBytes(16).toString('base64');

/** A short key that is equal for equal tokens. What is kept for a caller after its calls is kept under this key. */
export const toCallerKey = (token: string): string =>
  hash('sha256', SALT + token, 'base64');
