/** Page arguments that contradict each other or the configured bounds. */
export class BadPageError extends Error {
  override readonly name = 'BadPageError';
}

/** A cursor of another list or another paging style, or an altered one. */
export class BadCursorError extends Error {
  override readonly name = 'BadCursorError';
}

/** The configured paging cannot reach a page. The message names the setting that would help, if any. */
export class PageOutOfReachError extends Error {
  override readonly name = 'PageOutOfReachError';
}
