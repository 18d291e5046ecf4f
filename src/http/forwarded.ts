import type { IncomingHttpHeaders } from 'node:http';
import { toCallerName } from '../callers/caller-id.ts';
import { isObject } from '../rest/decode.ts';
import { toBearerToken } from './credentials.ts';

/** The names of the headers that go on to the service, in lower case; null: none do. */
export type ForwardedNames = readonly string[] | null;

/** Names the caller that sends these headers, as CallerId says. Null: it has no token. */
export function nameOf(headers: IncomingHttpHeaders, names: ForwardedNames) {
  const token = toBearerToken(headers.authorization);
  if (token === null || names === null) return token;
  const forwarded = names.map((name) => [name, headers[name]]);
  return toCallerName(token, Object.fromEntries(forwarded));
}

/** What a header may have, so that it can be sent on. */
const VALUE = /^[\t -~\u0080-\u00ff]{0,8192}$/;

/**
 * The headers to forward among the fields of an object, for clients that send no headers. The case of names does not matter,
 * and null counts as left out. Returns null if one is not a text that a header may have.
 */
export function pickForwarded(given: unknown, names: ForwardedNames) {
  if (names === null || !isObject(given)) return {};
  const picked = Object.entries(given)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name, value]) => names.includes(name) && value != null);
  const areValid = picked.every(
    ([, value]) => typeof value === 'string' && VALUE.test(value),
  );
  return areValid ? (Object.fromEntries(picked) as Record<string, string>) : null;
}
