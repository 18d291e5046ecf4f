import Negotiator from 'negotiator';
import type { Accepts } from '../operation/request.ts';
import { EVENTS, MULTIPART, type StreamFormat } from './stream-format.ts';

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

/** Which answers a client accepts, also in several results. */
export interface ClientAccepts extends Accepts {
  /** In which format it can read several results; null if it cannot. */
  readonly stream: StreamFormat | null;
}

/** For clients that read nothing but several results: they read refusals there, too. */
export const RESULTS_ONLY: Accepts = {
  any: true,
  type: `${JSON_TYPE}; charset=utf-8`,
  onlyPlainJson: true,
};

const readAccept = remembered((accept): ClientAccepts => {
  const negotiator = new Negotiator({ headers: { accept } });
  const accepted = negotiator.mediaTypes(OFFERED);
  return {
    any: accepted.length > 0,
    stream: toStreamFormat(
      accept,
      negotiator.mediaTypes().map((type) => type.toLowerCase()),
    ),
    type: negotiator.mediaType(ANSWERS) ?? null,
    onlyPlainJson:
      accepted.length > 0 && !accepted.some((type) => type.startsWith(RESPONSE_JSON)),
  };
});

/** `types`: what is accepted, in lower case, without parameters. A client that accepts anything, as most tools do, expects no stream. */
function toStreamFormat(accept: string, types: readonly string[]): StreamFormat | null {
  if (types.includes('multipart/mixed') && namesSubscriptions(accept)) return MULTIPART;
  return types.includes('text/event-stream') ? EVENTS : null;
}

/** Whether multipart is asked for with the version of its protocol. Without one, it is meant for other protocols. */
const namesSubscriptions = (accept: string): boolean =>
  accept.split(',').some((type) => {
    const [name, ...parameters] = type
      .split(';')
      .map((part) => part.trim().toLowerCase());
    return (
      name === 'multipart/mixed' &&
      parameters.some((parameter) => /^subscriptionspec="?1\.0"?$/.test(parameter))
    );
  });

/** Reads which answers a client accepts; without an `Accept` header, or with an empty one, it accepts all. */
export const toAccepts = (accept: string | undefined): ClientAccepts =>
  readAccept(accept || '*/*');

/** What a WebSocket carries: of each answer only whether its status is 200 is seen. */
export const SOCKET_ACCEPTS: Accepts = {
  any: true,
  type: `${RESPONSE_JSON}; charset=utf-8`,
  onlyPlainJson: false,
};

/** Anybody can send any text, so only a few short ones are kept. */
const MAX_TEXTS = 64;
/** Unit: characters. */
const MAX_LENGTH = 256;

/**
 * Makes a reader of header values remember its results, because nearly every request has one of a few values. When there
 * are too many, all are forgotten, so that an attacker cannot keep the usual ones out for long.
 */
export function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const seen = known.get(text);
    if (seen !== undefined || text.length > MAX_LENGTH) return seen ?? read(text);
    const fresh = read(text);
    if (known.size === MAX_TEXTS) known.clear();
    known.set(text, fresh);
    return fresh;
  };
}
