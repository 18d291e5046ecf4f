import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a page of this origin may open a WebSocket. Browsers do not ask before, as they do for other requests; other clients
 * send no origin.
 */
export function isAllowedOrigin(
  { origin, host }: IncomingHttpHeaders,
  allowed: '*' | readonly string[],
): boolean {
  if (allowed === '*' || origin === undefined || allowed.includes(origin)) return true;
  // The gateway's own pages.
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
