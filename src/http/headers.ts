/**
 * On every answer. Few enough to stand here rather than in a dependency, whose defaults would have to be switched off one
 * by one for the explorer: that page brings its own rules for scripts, styles and frames, as Apollo needs them.
 */
export const SECURITY_HEADERS = {
  /** An answer is what its type says: never a script, whatever a message holds. */
  'x-content-type-options': 'nosniff',
  /** Nobody frames the explorer and has its user click; the second is for browsers that do not know the first. */
  'content-security-policy': "frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  /** The address may hold a GET's operation. Apollo's frame is told the origin, which it may go by. */
  'referrer-policy': 'strict-origin',
} as const;
