/**
 * Headers of every answer. They are few enough to be listed here: the defaults of a library would have to be switched off
 * one by one for the explorer, whose page brings its own rules for scripts, styles and frames, as Apollo needs them.
 */
export const toHeaders = (requestId: string): Record<string, string> => ({
  /** An answer is what its type says, and never a script, whatever a message contains. */
  'x-content-type-options': 'nosniff',
  /** No other site may frame the explorer and direct its user's clicks. The second header is for older browsers. */
  'content-security-policy': "frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  /** The address may hold the operation of a GET. Apollo's frame gets the origin, which it may check. */
  'referrer-policy': 'strict-origin',
  'x-request-id': requestId,
  'cache-control': 'no-store',
});
