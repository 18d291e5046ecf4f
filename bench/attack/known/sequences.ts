import { type Case, toCase } from '../case.ts';
import { list, numberKeys, raw, text, type Value } from '../value.ts';

const READ = '{ message(id: "x1") { id } }';
const READ_X = '{ message(id: $x) { id } }';
const SEND = `mutation {
  sendMessage(input: { conversationId: "x1", message: "m", attachments: [$x] }) { message { id } }
}`;
const ids = (count: number) => ({ x: ['ID!', text('x', count)] }) as const;
const token = 'none';
const SKIPPED_BY_X =
  'query O($x: Boolean!) { o: conversation(id: "1") @skip(if: $x) { id } }';
const OTHER_TYPES =
  'query O($x: Boolean!, $y: Boolean!, $z: Boolean!) { o: conversation(id: "1") @skip(if: $x) { id } p: conversation(id: "1") @skip(if: $y) { id } q: conversation(id: "1") @skip(if: $z) { id } }';
const noMethods: Value = {
  kind: 'fields',
  fields: { toString: raw('1'), valueOf: raw('1') },
};

/** Sequences that once changed or took the answers of another caller, or the process. */
export const SEQUENCES: readonly Case[] = [
  toCase(
    'conditions-of-another-operation',
    `{ message(id: $x) { id }
      conversations @include(if: $y) { nodes { id } }
      again: message(id: $z) { id } }`,
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
  toCase('long-ids-in-plans', READ_X, {
    variables: { x: ['ID!', text('x', 1_000_000, true)] },
    transport: { token, encoding: 'gzip' },
    sequence: { before: SKIPPED_BY_X, turns: [{ values: {}, times: 60 }] },
  }),
  toCase('objects-as-conditions', SEND, {
    variables: { x: ['JSON!', noMethods] },
    transport: { token },
    sequence: { before: SKIPPED_BY_X },
  }),
  toCase('long-bodies-byte-by-byte', READ_X, {
    variables: ids(1_040_000),
    transport: { token, delivery: 'byte by byte', copies: 5 },
  }),
  toCase('bodies-byte-by-byte', READ_X, {
    variables: ids(170_000),
    transport: { token, delivery: 'byte by byte', copies: 40 },
  }),
  toCase('bodies-that-never-end', READ_X, {
    variables: ids(1_040_000),
    transport: { token, delivery: 'cut', copies: 300 },
  }),
  toCase('messages-that-never-end', READ_X, {
    variables: ids(1_040_000),
    transport: { token, over: 'unfinished frames', copies: 100 },
  }),
  toCase('writes-beside-watchers', SEND.replace('$x', '1'), {
    sequence: { watchers: 100, turns: [{ values: {}, times: 150 }] },
  }),
  toCase('sockets-of-strangers', READ, {
    transport: { token: 'made up', over: 'socket', copies: 1000 },
    service: { mode: 'fails', status: 401 },
  }),
  toCase(
    'failing-writes-of-strangers',
    'mutation { deleteMessage(input: { id: EACH_OTHER }) @times(n: 100) { deletedMessageId } }',
    {
      transport: { token: 'made up', over: 'socket', copies: 1000 },
      service: { mode: 'fails', status: 401 },
    },
  ),
  toCase('numbers-as-keys-from-the-service', '{ message(id: "x1") { attachments } }', {
    service: { attachments: list(numberKeys(250_000, raw('1')), 1) },
  }),
  toCase('numbers-as-keys-beside-another-caller', SEND, {
    variables: { x: ['JSON!', numberKeys(66_000, raw('1'))] },
  }),
  toCase('socket-with-many-operations', READ, {
    transport: { over: 'socket' },
    service: { delay: 5000 },
  }),
];
