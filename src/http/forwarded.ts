import type { IncomingHttpHeaders } from 'node:http';
import { toCallerName } from '../callers/caller-id.ts';
import { isObject } from '../rest/decode.ts';
import { toBearerToken } from './credentials.ts';

/** The names of the headers that go on to the service, in lower case; null: none do. */
export type ForwardedNames = readonly string[] | null;

/**
 * Names the caller that sends these headers, as CallerId says. Null: it has no token. Undefined: a header to forward cannot be sent on, as
 * one that the application around the gateway has set may be.
 */
export function nameOf(headers: IncomingHttpHeaders, names: ForwardedNames) {
  const token = toBearerToken(headers.authorization);
  if (token === null || names === null) return token;
  const picked = pickForwarded(headers, names);
  if (picked === null) return undefined;
  // In the order of the setting, so that the same headers give the same name.
  const forwarded = names.map((name) => [name, picked[name]]);
  return toCallerName(token, Object.fromEntries(forwarded));
}

/** What a header may have, so that it can be sent on. */
const VALUE = /^[\t -~\u0080-\u00ff]{0,8192}$/;

/**
 * The headers to forward among the fields of an object, as HTTP or clients without headers have them. The case of names does not matter,
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
