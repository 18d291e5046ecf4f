import Negotiator from 'negotiator';
import type { Accepts } from '../operation/request.ts';

const RESPONSE_JSON = 'application/graphql-response+json';
const JSON_TYPE = 'application/json';

/** Also with the charset spelled out: a client that asks for UTF-8 accepts no less. */
const OFFERED = [RESPONSE_JSON, JSON_TYPE].flatMap((type) => [
  type,
  `${type}; charset=utf-8`,
]);

/** Reads which answers a client accepts; without an `Accept` header, or with an empty one, it accepts all. */
export function toAccepts(accept: string | undefined): Accepts {
  const negotiator = new Negotiator({ headers: { accept: accept || '*/*' } });
  const accepted = negotiator.mediaTypes(OFFERED);
  return {
    any: accepted.length > 0,
    onlyPlainJson:
      accepted.length > 0 && !accepted.some((type) => type.startsWith(RESPONSE_JSON)),
  };
}
