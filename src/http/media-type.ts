import Negotiator from 'negotiator';
import type { Accepts } from '../operation/request.ts';
import { memoizedHeader } from './headers.ts';
import { EVENTS, MULTIPART, type StreamFormat } from './result-stream.ts';

const RESPONSE_JSON = 'application/graphql-response+json';
const JSON_TYPE = 'application/json';

/** Each type also with its charset, for clients that ask for UTF-8 explicitly. */
const OFFERED = [RESPONSE_JSON, JSON_TYPE].flatMap((type) => [
  type,
  `${type}; charset=utf-8`,
]);

/**
 * The types of an answer, in the list from which Apollo chooses. The last one is for subscriptions by callback, which the
 * gateway does not offer.
 */
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

const readAccept = memoizedHeader((accept): ClientAccepts => {
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

/** Reads which answers a client accepts; without an `Accept` header, or with an empty one, it accepts all. */
export const toAccepts = (accept = ''): ClientAccepts => readAccept(accept || '*/*');

/** `types`: what is accepted, in lower case, without parameters. To accept anything, as most tools do, asks for no stream. */
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

/** What a WebSocket carries: of each answer only whether its status is 200 is seen. */
export const SOCKET_ACCEPTS: Accepts = {
  any: true,
  type: `${RESPONSE_JSON}; charset=utf-8`,
  onlyPlainJson: false,
};
