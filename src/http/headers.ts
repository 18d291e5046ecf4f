import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';

/**
 * Headers of every answer but the explorer's files, which may be stored. A library that sets such headers is not used: most
 * of its defaults would have to be switched off for the explorer, whose page has rules of its own for scripts, styles and frames.
 */
export const HEADERS: Readonly<Record<string, string>> = {
  /** Browsers must not guess the type: an answer is never a script, whatever a message contains. */
  'x-content-type-options': 'nosniff',
  /** No other site may frame the explorer, to prevent clickjacking. The second header is for older browsers. */
  'content-security-policy': "frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  /** Other sites must not see the path, which may hold the operation of a GET. Apollo's frame may see the origin. */
  'referrer-policy': 'strict-origin',
  'cache-control': 'no-store',
};

/** From which pages browsers may send requests. */
export type CorsOrigins = '*' | readonly string[];

const EXPOSED = ['access-control-expose-headers', 'X-Request-Id, Retry-After'];
const PREFLIGHT: readonly (readonly [string, string])[] = [
  ['access-control-allow-methods', 'GET, POST'],
  ['access-control-max-age', '86400'],
  ['vary', 'Access-Control-Request-Headers'],
];

/** Makes the headers of CORS for the answer to a request that is no preflight: names, each followed by its value. */
export function toCorsHeaders(origins: CorsOrigins) {
  const forAll = ['access-control-allow-origin', '*', ...EXPOSED];
  const forNone = ['vary', 'Origin', ...EXPOSED];
  return ({ origin }: IncomingHttpHeaders): readonly string[] => {
    if (origins === '*') return forAll;
    return origin !== undefined && origins.includes(origin)
      ? [...forNone, 'access-control-allow-origin', origin]
      : forNone;
  };
}

/** Whether a browser asks what another request may be. */
export const isPreflight = (headers: IncomingHttpHeaders): boolean =>
  Boolean(headers.origin && headers['access-control-request-method']);

/** The further headers of the answer to a preflight request. Any header may be sent. */
export function toPreflightHeaders(
  headers: IncomingHttpHeaders,
): readonly (readonly [string, string])[] {
  const asked = headers['access-control-request-headers'];
  return asked === undefined
    ? PREFLIGHT
    : [...PREFLIGHT, ['access-control-allow-headers', asked]];
}

/**
 * Whether a page of this origin may open a WebSocket. Browsers send no preflight request for one; clients that are no
 * browsers send no origin.
 */
export function mayOpenSocket(
  { origin, host }: IncomingHttpHeaders,
  origins: CorsOrigins,
): boolean {
  if (origins === '*' || origin === undefined || origins.includes(origin)) return true;
  // The gateway's own pages.
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/** A longer header is read each time. Unit: characters. */
const MAX_KNOWN_LENGTH = 256;
const MAX_KNOWN = 64;

/** Keeps what `read` returned for the headers used lately, because nearly every request has one of a few. */
export function memoizedHeader<T extends object>(
  read: (header: string) => T,
): (header: string) => T {
  const known = new LRUCache<string, T>({ max: MAX_KNOWN, memoMethod: read });
  return (header) =>
    header.length > MAX_KNOWN_LENGTH ? read(header) : known.memo(header);
}
