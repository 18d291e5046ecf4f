import { OperationalError } from '../rest/errors.ts';

/** Page arguments that contradict each other or the configured bounds. */
export class BadPageError extends OperationalError {
  readonly code = 'BAD_USER_INPUT';
}

/** A cursor of another list or another paging style, or an altered one. */
export class BadCursorError extends BadPageError {}

/** The configured paging cannot reach a page. The message names the setting that would help, if any. */
export class PageOutOfReachError extends OperationalError {
  readonly code = 'PAGE_OUT_OF_REACH';
}

/** The operation, or the list field, may make no further call. */
export class OutOfCallsError extends PageOutOfReachError {}
