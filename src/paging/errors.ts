import { OperationalError } from '../rest/errors.ts';

/** Page arguments that contradict each other or the configured bounds. */
export class BadPageError extends OperationalError {
  override readonly name: string = 'BadPageError';
}

/** A cursor of another list or another paging style, or an altered one. */
export class BadCursorError extends BadPageError {
  override readonly name = 'BadCursorError';
}

/** The configured paging cannot reach a page. The message names the setting that would help, if any. */
export class PageOutOfReachError extends OperationalError {
  override readonly name: string = 'PageOutOfReachError';
}

/** The operation, or the list field, may make no further call. */
export class OutOfCallsError extends PageOutOfReachError {
  override readonly name = 'OutOfCallsError';
}
