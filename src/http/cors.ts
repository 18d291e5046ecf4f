import type { IncomingHttpHeaders } from 'node:http';

/** From which pages browsers may send requests. */
export type CorsOrigins = '*' | readonly string[];

/** The headers of CORS: names, each followed by its value. */
export type CorsHeaders = (headers: IncomingHttpHeaders) => readonly string[];

const EXPOSED = ['access-control-expose-headers', 'X-Request-Id, Retry-After'];
const PREFLIGHT: readonly (readonly [string, string])[] = [
  ['access-control-allow-methods', 'GET, POST'],
  ['access-control-max-age', '86400'],
  ['vary', 'Access-Control-Request-Headers'],
];

/** For the answer to a request that is no preflight. */
export function toCorsHeaders(origins: CorsOrigins): CorsHeaders {
  const forAll = ['access-control-allow-origin', '*', ...EXPOSED];
  const forNone = ['vary', 'Origin', ...EXPOSED];
  return ({ origin }) => {
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
