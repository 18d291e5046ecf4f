import { list, raw, text, type Value } from './value.ts';

/** How the request is sent, and what its client does with the answer. */
export interface Transport {
  /** `made up`: another one for each copy, and the service knows none of them. */
  token: 'a token' | 'none' | 'made up' | 'no bearer' | 'long';
  method: 'POST' | 'GET';
  encoding: 'none' | 'gzip' | 'br' | 'deflate';
  accept: string;
  acceptEncoding: 'identity' | 'gzip' | 'br';
  oddity: 'none' | 'Expect' | 'no Host' | 'OPTIONS' | 'many headers';
  /** `unfinished frames`: a WebSocket message that never ends. `socket`: the operation, many times, over one WebSocket. */
  over: 'HTTP' | 'socket' | 'unfinished frames';
  /** How the body of a request over HTTP arrives. `cut`: all but its last byte, which never comes. */
  delivery: 'whole' | 'slowly' | 'cut' | 'byte by byte';
  /** How many of this request are sent at once. */
  copies: number;
  client: 'reads' | 'never reads' | 'leaves';
  /** When a client that leaves does so. Unit: milliseconds. */
  leavesAfter: number;
}

/** How the service answers. */
export interface Service {
  mode: 'answers' | 'fails' | 'hangs' | 'breaks off' | 'sends no JSON';
  /** Only one of this many calls is answered in this mode; the others are answered well. */
  every: number;
  /** Of a failure. */
  status: number;
  errorBody: Value;
  headers: 'usual' | 'Retry-After' | 'many';
  /** Items of a page; 0: as many as were asked for. */
  items: number;
  hasMore: boolean;
  ids: 'asked' | 'one' | 'distinct';
  message: Value;
  attachments: Value;
  reactions: Value;
  /** A field that has another value than the interface says; empty for none. */
  oddField: string;
  odd: Value;
  /** Fields of each object that the interface does not have. */
  drift: number;
  /** Unit: milliseconds. */
  delay: number;
  pace: 'whole' | 'in parts' | 'byte by byte';
}

/** The same document once more, with other values of some variables. */
export interface Turn {
  values: Record<string, Value>;
  /** How often it is sent, one after another. */
  times: number;
}

/** A request, those of the same caller that follow it, and the service that answers their calls. */
export interface Case {
  /** The name of a known attack, or `random`; empty for a changed case. */
  name: string;
  type: 'query' | 'mutation';
  /**
   * What the operation selects, as GraphQL with two additions: `@times(n: 900, alias: 5)` repeats a selection under aliases of
   * that length; `@inFragments(n: 1, on: "Message")` puts what it selects into so many fragments, one in another. The words in
   * WORDS (document.ts) stand for values.
   */
  document: string;
  variables: Record<string, { type: string; value: Value }>;
  /** This text is written before the first field, `paddings` times. */
  padding: string;
  paddings: number;
  /** How many more operations the document has. */
  operations: number;
  /** Operations that stand before it in the document, whose variables may have the same names and other types. */
  before: string;
  turns: Turn[];
  /** With these values, B sends the same document when the attack is over; null: it does not. */
  ofB: Turn['values'] | null;
  /** How many sockets of the attacker watch one conversation meanwhile. */
  watchers: number;
  /** The request's `extensions`; null for none. */
  extensions: Value | null;
  transport: Transport;
  service: Service;
}

/** The first field of a case. */
export const fieldOf = ({ document }: Case): string => /\w+/.exec(document)?.[0] ?? '';

const TRANSPORT: Transport = {
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

interface Parts {
  readonly variables?: Record<string, readonly [type: string, value: Value]>;
  readonly padding?: readonly [padding: string, paddings: number];
  readonly transport?: Partial<Transport>;
  readonly service?: Partial<Service>;
  readonly sequence?: Partial<Pick<Case, 'before' | 'turns' | 'ofB' | 'watchers'>>;
}

/** A case that differs from a plain one in these parts. The document of a mutation begins with `mutation`. */
export function toCase(
  name: string,
  document: string,
  { variables = {}, padding = ['', 0], transport, service, sequence }: Parts = {},
): Case {
  const entries = Object.entries(variables);
  return {
    name,
    type: document.startsWith('mutation') ? 'mutation' : 'query',
    document: document.replace('mutation ', ''),
    variables: Object.fromEntries(
      entries.map(([key, [type, value]]) => [key, { type, value }]),
    ),
    padding: padding[0],
    paddings: padding[1],
    operations: 0,
    before: '',
    turns: [],
    ofB: null,
    watchers: 0,
    ...sequence,
    extensions: null,
    transport: { ...TRANSPORT, ...transport },
    service: { ...PLAIN_SERVICE, ...service },
  };
}
