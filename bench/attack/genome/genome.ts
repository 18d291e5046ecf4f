/**
 * A value of JSON, or of GraphQL, as a rule: a request of a megabyte is a few genes, so that a search can change it.
 * Counts are cut where the text would be longer than it may be.
 */
export type Value =
  /** The text as it is: a number, `true`, `null`, or anything that is no JSON. */
  | { readonly kind: 'raw'; readonly raw: string }
  /** A string: a part repeated. Distinct: each use of it ends with another number. */
  | {
      readonly kind: 'text';
      readonly part: string;
      readonly count: number;
      readonly distinct: boolean;
    }
  | { readonly kind: 'list'; readonly of: Value; readonly count: number }
  /** An object with this many keys, all different and of this length at least; 0: keys that are large numbers. */
  | {
      readonly kind: 'object';
      readonly of: Value;
      readonly keys: number;
      readonly keyLength: number;
      /** The keys are numbers, from this one on; left out: they begin with a letter. */
      readonly firstKey?: number;
    }
  /** A value inside this many lists or objects. */
  | {
      readonly kind: 'nested';
      readonly of: Value;
      readonly inside: 'list' | 'object';
      readonly depth: number;
    }
  /** An object with these fields. */
  | { readonly kind: 'fields'; readonly fields: Readonly<Record<string, Value>> }
  | {
      readonly kind: 'nodeId';
      readonly type: 'Message' | 'Conversation' | 'Contact';
      readonly distinct: boolean;
    }
  /** A cursor with a right checksum, of the list of all messages or of one conversation's. */
  | { readonly kind: 'cursor'; readonly position: number; readonly list: string }
  /** Of the operation. */
  | { readonly kind: 'variable'; readonly name: string };

/** Fields that are selected, one or many times. */
export interface Selection {
  /** Its name in the schema, or any other; `... on Message` for an inline fragment. */
  readonly field: string;
  readonly args: Readonly<Record<string, Value>>;
  /** How often it is selected, with an alias each unless `aliasLength` is 0. */
  readonly repeat: number;
  /** The least length of an alias. Unit: characters. */
  readonly aliasLength: number;
  /** Its selections are inside `wraps` of these, one in another. */
  readonly wrap: 'nothing' | 'inline fragments' | 'fragments';
  readonly wraps: number;
  /** Empty for none. */
  readonly directive: string;
  readonly directiveCount: number;
  readonly below: readonly Selection[];
}

interface Variable {
  readonly type: string;
  readonly value: Value;
  /** The value is the default in the document, and not sent. */
  readonly isDefault: boolean;
}

/** How the request is sent, and what its client does with the answer. */
export interface Transport {
  /** `made up`: another one for each copy, and the service knows none of them. */
  readonly token: 'a token' | 'none' | 'made up' | 'no bearer' | 'long';
  readonly method: 'POST' | 'GET';
  readonly encoding: 'none' | 'gzip' | 'br' | 'deflate';
  readonly accept: string;
  readonly acceptEncoding: 'identity' | 'gzip' | 'br';
  readonly oddity: 'none' | 'Expect' | 'no Host' | 'OPTIONS' | 'many headers';
  /** `unfinished frames`: a WebSocket message that never ends. `socket`: the operation, many times, over one WebSocket. */
  readonly over: 'HTTP' | 'socket' | 'unfinished frames';
  /** How the body of a request over HTTP arrives. `cut`: all but its last byte, which never comes. */
  readonly delivery: 'whole' | 'slowly' | 'cut' | 'byte by byte';
  /** How many of this request are sent at once. */
  readonly copies: number;
  readonly client: 'reads' | 'never reads' | 'leaves';
  /** When a client that leaves does so. Unit: milliseconds. */
  readonly leavesAfter: number;
}

/** How the service answers. */
export interface Service {
  readonly mode: 'answers' | 'fails' | 'hangs' | 'breaks off' | 'sends no JSON';
  /** Only one of this many calls is answered in this mode; the others are answered well. */
  readonly every: number;
  /** Of a failure. */
  readonly status: number;
  readonly errorBody: Value;
  readonly headers: 'usual' | 'Retry-After' | 'many';
  /** Items of a page; 0: as many as were asked for. */
  readonly items: number;
  readonly hasMore: boolean;
  readonly ids: 'asked' | 'one' | 'distinct';
  readonly message: Value;
  readonly attachments: Value;
  readonly reactions: Value;
  /** A field that has another value than the interface says; empty for none. */
  readonly oddField: string;
  readonly odd: Value;
  /** Fields of each object that the interface does not have. */
  readonly drift: number;
  /** Unit: milliseconds. */
  readonly delay: number;
  readonly pace: 'whole' | 'in parts' | 'byte by byte';
}

/** The same document once more, with other values of some variables. */
export interface Turn {
  readonly values: Readonly<Record<string, Value>>;
  /** How often it is sent, one after another. */
  readonly times: number;
}

/** A request, those of the same caller that follow it, and the service that answers their calls. */
export interface Genome {
  /** The name of a known attack, or `random`; empty for a changed request. */
  readonly name: string;
  readonly type: 'query' | 'mutation';
  readonly selections: readonly Selection[];
  readonly variables: Readonly<Record<string, Variable>>;
  /** This text is written before the first field, `paddings` times. */
  readonly padding: string;
  readonly paddings: number;
  /** How many more operations the document has. */
  readonly operations: number;
  /** Operations that stand before it in the document, whose variables may have the same names and other types. */
  readonly before: string;
  readonly turns: readonly Turn[];
  /** With these values, B sends the same document when the attack is over; null: it does not. */
  readonly ofB: Turn['values'] | null;
  /** How many sockets of the attacker watch one conversation meanwhile. */
  readonly watchers: number;
  /** The request's `extensions`; null for none. */
  readonly extensions: Value | null;
  readonly transport: Transport;
  readonly service: Service;
}
