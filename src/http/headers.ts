/**
 * Headers of every answer. No library sets them, because many of its defaults would have to be switched off for the
 * explorer, whose page has Apollo's own rules for scripts, styles and frames.
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
