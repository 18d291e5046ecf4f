import type { ServiceContext } from './context.ts';
import type { Fields } from './form.ts';
import type { Mailbox } from './store.ts';

/** One endpoint under `/v1`; `handle` returns the JSON of the response. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  handle(request: RouteRequest): object;
}

/** One authenticated request. */
export interface RouteRequest extends ServiceContext {
  mailbox: Mailbox;
  /** Those of all users, with this one. */
  mailboxes: readonly Mailbox[];
  /** The id in the path; empty if the path has none. */
  id: string;
  /** The query of a GET, the body of every other method. */
  fields: Fields;
}
