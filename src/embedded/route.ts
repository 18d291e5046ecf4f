import type { Answers } from './answers.ts';
import type { Fields } from './form.ts';
import type { Mailbox, Store } from './store.ts';

/** One endpoint under `/v1`; `handle` returns the JSON of the response. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  handle(request: RouteRequest): object;
}

/** One request, whose caller is known. */
export interface RouteRequest {
  readonly answers: Answers;
  readonly store: Store;
  /** That of the caller. */
  readonly mailbox: Mailbox;
  /** The id in the path; empty if the path has none. */
  readonly id: string;
  /** The query of a GET, the body of every other method. */
  readonly fields: Fields;
}
