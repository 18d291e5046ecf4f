import type { ProbedList } from '../messaging/probed.ts';
import { type NetworkCause, toNetworkCause } from '../rest/network-cause.ts';
import type { RawClientOptions } from '../rest/raw.ts';
import { isSuccess, isUnknownId } from '../rest/status.ts';
import { type Finding, problem } from './found.ts';
import { toPage } from './lists.ts';
import type { Reply, Session } from './session.ts';
import { createToken } from './token.ts';

type Causes = readonly (NetworkCause | null)[];

/** After these, the other scheme is tried on the same port. */
const SCHEME_CAUSES: Causes = ['notTls', 'tlsFailed', 'notHttp', 'closed'];
/** After these too, if the address has no port: each scheme then has its own. */
const PORT_CAUSES: Causes = ['refused', 'tooSlow'];
/** They come after the handshake has begun, so the service speaks TLS. */
const CERTIFICATE_CAUSES: Causes = [
  'selfSigned',
  'expired',
  'notYetValid',
  'otherHost',
  'unknownAuthority',
];
/** Servers answer plain HTTP on a port for TLS with these. */
const SCHEME_STATUSES: readonly number[] = [400, 426];
const MAX_TRIED_PATHS = 4;

/**
 * Looks for the address that was meant, if the one that is set has no service: with the other scheme, or with fewer parts
 * of its path. Null if there is none. `answer`: what came from the address that is set.
 */
export async function findRightAddress(
  session: Session,
  list: ProbedList,
  answer: Reply,
): Promise<Finding | null> {
  const { target } = session;
  const { url } = target;
  /** Asks another address for a list. */
  const ask = (other: RawClientOptions) =>
    session.askElsewhere(other, {
      purpose: `is the service at ${other.url}?`,
      path: list.path,
      query: { limit: 1 },
    });

  const { status } = answer;
  if (answer.error !== null || SCHEME_STATUSES.includes(status)) {
    const isTls = url.startsWith('https:');
    if (answer.error === null ? isTls : !mayBeScheme(answer, url)) return null;
    const other = isTls ? url.replace('https:', 'http:') : url.replace('http:', 'https:');
    // Not the user's token, nor REST_HEADERS, which must not leave without TLS.
    const token = createToken();
    const spoken = await ask({ ...target, url: other, token, headers: null });
    if (spoken.error !== null && !CERTIFICATE_CAUSES.includes(causeOf(spoken)))
      return null;
    // A server for TLS says with 400 that it got plain HTTP.
    if (isTls && spoken.status === 400) return null;
    return problem(
      isTls
        ? `it does not speak https at ${url}, but http at ${other}`
        : `it speaks https at ${other}, and MESSAGING_URL says http`,
      `Check again with MESSAGING_URL=${other}`,
    );
  }

  if (!isSuccess(status) && !isUnknownId(status)) return null;
  const { origin, pathname } = new URL(url);
  const parts = pathname.split('/').filter((part) => part !== '');
  const shorter = parts.map((_, index) => [origin, ...parts.slice(0, index)].join('/'));
  for (const other of shorter.reverse().slice(0, MAX_TRIED_PATHS)) {
    if (toPage(await ask({ ...target, url: other })) === null) continue;
    return problem(
      `the path of MESSAGING_URL has a part too many: the lists are not below ${url} (${status}), but below ${other}`,
      `Set MESSAGING_URL=${other}`,
    );
  }
  return null;
}

const causeOf = ({ error }: Reply): NetworkCause | null => toNetworkCause(error?.cause);

const mayBeScheme = (answer: Reply, url: string): boolean =>
  SCHEME_CAUSES.includes(causeOf(answer)) ||
  (new URL(url).port === '' && PORT_CAUSES.includes(causeOf(answer)));
