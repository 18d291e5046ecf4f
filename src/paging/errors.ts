/** Page arguments that contradict each other or the configured bounds. */
export class BadPageError extends Error {
  override readonly name = 'BadPageError';
}

/** A cursor of another list, another paging style, or altered. */
export class BadCursorError extends Error {
  override readonly name = 'BadCursorError';
}

/** The configured paging cannot reach that page; the text names the setting that lifts it. */
export class PageOutOfReachError extends Error {
  override readonly name = 'PageOutOfReachError';
}
