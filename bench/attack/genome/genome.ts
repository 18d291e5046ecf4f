/**
 * A value of JSON, or of GraphQL, as a rule: a request of a megabyte is a few genes, so that a search can change it.
 * Counts are cut where the text would be longer than it may be.
 */
export type Value =
  /** The text as it is: a number, `true`, `null`, or anything that is no JSON. */
  | { kind: 'raw'; raw: string }
  /** A string: a part repeated. Distinct: each use of it ends with another number. */
  | {
      kind: 'text';
      part: string;
      count: number;
      distinct: boolean;
    }
  | { kind: 'list'; of: Value; count: number }
  /** An object with this many keys, all different and of this length at least; 0: keys that are large numbers. */
  | {
      kind: 'object';
      of: Value;
      keys: number;
      keyLength: number;
      /** The keys are numbers, from this one on; left out: they begin with a letter. */
      firstKey?: number;
    }
  /** A value inside this many lists or objects. */
  | {
      kind: 'nested';
      of: Value;
      inside: 'list' | 'object';
      depth: number;
    }
  /** An object with these fields. */
  | { kind: 'fields'; fields: Record<string, Value> }
  | {
      kind: 'nodeId';
      type: 'Message' | 'Conversation' | 'Contact';
      distinct: boolean;
    }
  /** A cursor with a right checksum, of the list of all messages or of one conversation's. */
  | { kind: 'cursor'; position: number; list: string }
  /** Of the operation. */
  | { kind: 'variable'; name: string };

/** Fields that are selected, one or many times. */
export interface Selection {
  /** Its name in the schema, or any other; `... on Message` for an inline fragment. */
  field: string;
  args: Record<string, Value>;
  /** How often it is selected, with an alias each unless `aliasLength` is 0. */
  repeat: number;
  /** The least length of an alias. Unit: characters. */
  aliasLength: number;
  /** Its selections are inside `wraps` of these, one in another. */
  wrap: 'nothing' | 'inline fragments' | 'fragments';
  wraps: number;
  /** Empty for none. */
  directive: string;
  directiveCount: number;
  below: Selection[];
}

interface Variable {
  type: string;
  value: Value;
  /** The value is the default in the document, and not sent. */
  isDefault: boolean;
}

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
export interface Genome {
  /** The name of a known attack, or `random`; empty for a changed request. */
  name: string;
  type: 'query' | 'mutation';
  selections: Selection[];
  variables: Record<string, Variable>;
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
