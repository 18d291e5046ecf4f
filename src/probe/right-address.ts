import { RestNetworkError } from '../rest/errors.ts';
import { type NetworkCause, toNetworkCause } from '../rest/network-cause.ts';
import type { RawClientOptions } from '../rest/raw.ts';
import { type Finding, problem } from './explain.ts';
import { type List, toPage } from './lists.ts';
import type { JsonResponse, Session } from './session.ts';
import { createToken } from './token.ts';

/** After these, the other scheme is tried on the same port. */
const SCHEME_CAUSES: readonly (NetworkCause | null)[] = [
  'notTls',
  'tlsFailed',
  'notHttp',
  'closed',
];
/** After these too, if the address has no port: each scheme then has its own. */
const PORT_CAUSES: readonly (NetworkCause | null)[] = ['refused', 'tooSlow'];
/** They come after the handshake has begun, so the service speaks TLS. */
const CERTIFICATE_CAUSES: readonly (NetworkCause | null)[] = [
  'selfSigned',
  'expired',
  'notYetValid',
  'otherHost',
  'unknownAuthority',
];
/** Servers answer plain HTTP on a port for TLS with these. */
const SCHEME_STATUSES: readonly number[] = [400, 426];
/** Unit: parts of a path. */
const MAX_TRIED_PATHS = 4;

/**
 * Looks for the address that was meant, if the one that is set has no service: with the other scheme, or with fewer parts
 * of its path. Null if there is none.
 */
export function findRightAddress(session: Session, list: List): Promise<Finding | null> {
  // What came from the address that is set; null if nothing came.
  const answer = session.responses.at(-1) ?? null;
  return answer === null || SCHEME_STATUSES.includes(answer.status)
    ? tryOtherScheme(session, list, answer)
    : tryShorterPaths(session, list, answer);
}

async function tryOtherScheme(
  session: Session,
  list: List,
  answer: JsonResponse | null,
): Promise<Finding | null> {
  const { target } = session;
  const { url } = target;
  const isTls = url.startsWith('https:');
  const cause = toNetworkCause(session.lastError?.cause);
  const causes =
    new URL(url).port === '' ? [...SCHEME_CAUSES, ...PORT_CAUSES] : SCHEME_CAUSES;
  if (answer === null ? !causes.includes(cause) : isTls) return null;
  const other = isTls ? url.replace('https:', 'http:') : url.replace('http:', 'https:');
  // Not the user's token, which must not leave without TLS.
  const spoken = await askFor(session, list, {
    ...target,
    url: other,
    token: createToken(),
  });
  if (spoken === null && !isCertificateTrouble(session)) return null;
  // A server for TLS says with 400 that it got plain HTTP.
  if (isTls && spoken?.status === 400) return null;
  return problem(
    'service',
    isTls
      ? `it does not speak https at ${url}, but http at ${other}`
      : `it speaks https at ${other}, and MESSAGING_URL says http`,
    `Check again with MESSAGING_URL=${other}`,
  );
}

const isCertificateTrouble = ({ lastError }: Session): boolean =>
  lastError instanceof RestNetworkError &&
  CERTIFICATE_CAUSES.includes(toNetworkCause(lastError.cause));

async function tryShorterPaths(
  session: Session,
  list: List,
  { status }: JsonResponse,
): Promise<Finding | null> {
  const isElsewhere = status === 404 || status === 410 || status < 300;
  if (!isElsewhere) return null;
  const { target } = session;
  const { origin, pathname } = new URL(target.url);
  const parts = pathname.split('/').filter((part) => part !== '');
  const shorter = parts
    .map((_, index) => [origin, ...parts.slice(0, index)].join('/'))
    .reverse()
    .slice(0, MAX_TRIED_PATHS);
  for (const url of shorter) {
    const answer = await askFor(session, list, { ...target, url });
    if (answer !== null && toPage(answer) !== null) {
      return problem(
        'service',
        `the path of MESSAGING_URL has a part too many: the lists are not below ${target.url} (${status}), but below ${url}`,
        `Set MESSAGING_URL=${url}`,
      );
    }
  }
  return null;
}

/** Asks another address for a list. */
const askFor = (
  session: Session,
  { path }: List,
  target: RawClientOptions,
): Promise<JsonResponse | null> =>
  session.askElsewhere(target, {
    purpose: `is the service at ${target.url}?`,
    path,
    query: { limit: 1 },
  });
