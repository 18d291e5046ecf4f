import Negotiator from 'negotiator';

const RESPONSE_JSON = 'application/graphql-response+json';
const JSON_TYPE = 'application/json';

/** With the charset spelt out, too: a client that asks so accepts no less. */
const OFFERED = [RESPONSE_JSON, JSON_TYPE].flatMap((type) => [
  type,
  `${type}; charset=utf-8`,
]);

/** The media types of GraphQL over HTTP that a client accepts; no `Accept` header, or an empty one, accepts all. */
const accepted = (accept: string | undefined): readonly string[] =>
  new Negotiator({ headers: { accept: accept || '*/*' } }).mediaTypes(OFFERED);

/** Whether a client can read any answer at all. */
export const acceptsAnswers = (accept: string | undefined): boolean =>
  accepted(accept).length > 0;

/**
 * Whether a client knows `application/json` alone. Such a client may take any status but 200 for an answer that is not
 * GraphQL's. Source: GraphQL over HTTP, "application/json".
 */
export const acceptsPlainJsonOnly = (accept: string | undefined): boolean =>
  acceptsAnswers(accept) &&
  !accepted(accept).some((type) => type.startsWith(RESPONSE_JSON));
