import { list, raw, text } from '../breeding/random-value.ts';
import type { Genome, Value } from '../genome/genome.ts';
import { select } from '../genome/plain.ts';
import { genome, id, X } from './known-request.ts';

const LOOK = [select('message', [select('id')], { args: id(raw('"x1"')) })];
const LONG: Readonly<Record<string, readonly [string, Value]>> = {
  x: ['ID!', text('x', 1_040_000)],
};
const HALF: typeof LONG = { x: ['ID!', text('x', 170_000)] };
const BY_X = [select('message', [select('id')], { args: { id: X } })];
const largeKeys = (keys: number): Value => ({
  kind: 'object',
  of: raw('1'),
  keys,
  keyLength: 1,
  firstKey: 1_000_000_000,
});
const OTHER_TYPES =
  'query O($x: Boolean!, $y: Boolean!, $z: Boolean!) { o: conversation(id: "1") @skip(if: $x) { id } p: conversation(id: "1") @skip(if: $y) { id } q: conversation(id: "1") @skip(if: $z) { id } }';
const send = (attachment: Value) =>
  select('sendMessage', [select('message', [select('id')])], {
    args: {
      input: {
        kind: 'fields',
        fields: {
          conversationId: raw('"x1"'),
          message: raw('"m"'),
          attachments: list(attachment, 1),
        },
      },
    },
  });

/** Sequences that once changed or took the answers of another caller, or the process. */
export const SEQUENCES: readonly Genome[] = [
  genome(
    'conditions-of-another-operation',
    [
      select('message', [select('id')], { repeat: 1, args: { id: X } }),
      {
        ...select('conversations', [select('nodes', [select('id')])]),
        directive: '@include(if: $y)',
      },
      {
        ...select('message', [select('id')], {
          args: { id: { kind: 'variable', name: 'z' } },
        }),
        aliasLength: 1,
      },
    ],
    {
      variables: {
        x: ['ID!', raw('"q"')],
        y: ['Boolean!', raw('false')],
        z: ['ID!', raw('"r"')],
      },
      sequence: {
        before: OTHER_TYPES,
        turns: [
          { values: { x: raw('"a"'), y: raw('true'), z: raw('"b,false,c"') }, times: 3 },
        ],
        ofB: { x: raw('"a,true,b"'), y: raw('false'), z: raw('"c"') },
      },
    },
  ),
  genome('long-ids-in-plans', BY_X, {
    variables: { x: ['ID!', text('x', 1_000_000, true)] },
    transport: { token: 'none', encoding: 'gzip' },
    sequence: {
      before: 'query O($x: Boolean!) { o: conversation(id: "1") @skip(if: $x) { id } }',
      turns: [{ values: {}, times: 60 }],
    },
  }),
  genome('objects-as-conditions', [send(X)], {
    type: 'mutation',
    variables: {
      x: ['JSON!', { kind: 'fields', fields: { toString: raw('1'), valueOf: raw('1') } }],
    },
    transport: { token: 'none' },
    sequence: {
      before: 'query O($x: Boolean!) { o: conversation(id: "1") @skip(if: $x) { id } }',
    },
  }),
  genome('long-bodies-byte-by-byte', BY_X, {
    variables: LONG,
    transport: { token: 'none', delivery: 'byte by byte', copies: 5 },
  }),
  genome('bodies-byte-by-byte', BY_X, {
    variables: HALF,
    transport: { token: 'none', delivery: 'byte by byte', copies: 40 },
  }),
  genome('bodies-that-never-end', BY_X, {
    variables: LONG,
    transport: { token: 'none', delivery: 'cut', copies: 300 },
  }),
  genome('messages-that-never-end', BY_X, {
    variables: LONG,
    transport: { token: 'none', over: 'unfinished frames', copies: 100 },
  }),
  genome('writes-beside-watchers', [send(raw('1'))], {
    type: 'mutation',
    sequence: { watchers: 100, turns: [{ values: {}, times: 150 }] },
  }),
  genome('sockets-of-strangers', LOOK, {
    transport: { token: 'made up', over: 'socket', copies: 1000 },
    service: { mode: 'fails', status: 401 },
  }),
  genome(
    'numbers-as-keys-from-the-service',
    [select('message', [select('attachments')], { args: id(raw('"x1"')) })],
    { service: { attachments: list(largeKeys(250_000), 1) } },
  ),
  genome('numbers-as-keys-beside-another-caller', [send(X)], {
    type: 'mutation',
    variables: { x: ['JSON!', largeKeys(66_000)] },
  }),
  genome('socket-with-many-operations', LOOK, {
    transport: { over: 'socket' },
    service: { delay: 5000 },
  }),
];
