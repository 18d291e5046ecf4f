import Negotiator from 'negotiator';
import type { Accepts } from '../operation/request.ts';
import { remembered } from './remembered.ts';

const RESPONSE_JSON = 'application/graphql-response+json';
const JSON_TYPE = 'application/json';

/** Each type also with its charset, for clients that ask for UTF-8 explicitly. */
const OFFERED = [RESPONSE_JSON, JSON_TYPE].flatMap((type) => [
  type,
  `${type}; charset=utf-8`,
]);

/** The types of an answer, in the list from which Apollo chooses. The last one is for subscriptions, which the schema does not have. */
const ANSWERS = [
  `${JSON_TYPE}; charset=utf-8`,
  `${RESPONSE_JSON}; charset=utf-8`,
  `${JSON_TYPE}; callbackSpec=1.0; charset=utf-8`,
];

export const EVENT_STREAM = 'text/event-stream';

const readAccept = remembered((accept): Accepts => {
  const negotiator = new Negotiator({ headers: { accept } });
  const accepted = negotiator.mediaTypes(OFFERED);
  // A client that accepts anything, as most tools do, does not expect a stream.
  const events = negotiator.mediaTypes().includes(EVENT_STREAM);
  return {
    any: accepted.length > 0,
    events,
    type: negotiator.mediaType(ANSWERS) ?? null,
    onlyPlainJson:
      accepted.length > 0 && !accepted.some((type) => type.startsWith(RESPONSE_JSON)),
  };
});

/** Reads which answers a client accepts; without an `Accept` header, or with an empty one, it accepts all. */
export const toAccepts = (accept: string | undefined): Accepts =>
  readAccept(accept || '*/*');
