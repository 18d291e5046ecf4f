import type { Genome, Selection, Service, Transport, Value } from './genome.ts';
import { list, raw, text } from './value.ts';

/** A field that selects nothing but what is given. */
export const select = (
  field: string,
  below: Selection[] = [],
  { repeat = 1, args = {} }: { repeat?: number; args?: Record<string, Value> } = {},
): Selection => ({
  field,
  args,
  repeat,
  aliasLength: repeat > 1 ? 1 : 0,
  wrap: 'nothing',
  wraps: 0,
  directive: '',
  directiveCount: 1,
  below,
});

export const PLAIN_TRANSPORT: Transport = {
  token: 'a token',
  method: 'POST',
  encoding: 'none',
  accept: 'application/graphql-response+json',
  acceptEncoding: 'identity',
  oddity: 'none',
  over: 'HTTP',
  delivery: 'whole',
  copies: 1,
  client: 'reads',
  leavesAfter: 100,
};

/** A request without a sequence. */
export const ALONE: Pick<Genome, 'before' | 'turns' | 'ofB' | 'watchers'> = {
  before: '',
  turns: [],
  ofB: null,
  watchers: 0,
};

export const PLAIN_SERVICE: Service = {
  mode: 'answers',
  every: 1,
  status: 500,
  errorBody: raw('{}'),
  headers: 'usual',
  items: 0,
  hasMore: false,
  ids: 'asked',
  message: text('x', 10),
  attachments: list(raw('{}'), 0),
  reactions: list(raw('{}'), 0),
  oddField: '',
  odd: raw('null'),
  drift: 0,
  delay: 0,
  pace: 'whole',
};
