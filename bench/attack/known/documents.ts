import { type Case, toCase } from '../case.ts';
import { list, raw, text } from '../value.ts';

const transport = { token: 'none' } as const;
const MESSAGE = raw('{"__typename":"Message","id":"x1"}');
const REPRESENTATIONS =
  '{ _entities(representations: $x) @times(n: 800) { __typename } }';

const failing = (name: string, padding: [string, number]): Case =>
  toCase(name, '{ message(id: $x) @times(n: 900) { id } }', {
    variables: { x: ['ID!', raw('""')] },
    padding,
    transport,
  });

/** Documents that were slow to judge, most without a token and a call. */
export const DOCUMENTS: readonly Case[] = [
  toCase('junk-ids-under-aliases', '{ nodes(nodeIds: $x) @times(n: 800) { nodeId } }', {
    variables: { x: ['[ID!]!', list(raw('"junk"'), 5000)] },
    transport,
  }),
  toCase('representations-under-aliases', REPRESENTATIONS, {
    variables: { x: ['[_Any!]!', list(MESSAGE, 5000)] },
    transport,
  }),
  toCase('empty-representations', REPRESENTATIONS, {
    variables: { x: ['[_Any!]!', list(raw('{}'), 131_000)] },
    transport,
  }),
  toCase(
    'representations-of-one-message',
    '{ _entities(representations: $x) { ... on Message { message contact { username createdAt } } } }',
    { variables: { x: ['[_Any!]!', list(MESSAGE, 9500)] } },
  ),
  failing('lines-before-failing-fields', ['\n', 490_000]),
  failing('returns-before-failing-fields', ['\r', 490_000]),
  failing('few-lines-before-failing-fields', ['\n', 4900]),
  toCase('lines-before-unknown-fields', '{ unknown @times(n: 100) }', {
    padding: ['\r', 490_000],
    transport,
  }),
  toCase(
    'long-cursor-under-lists',
    `{ messages(after: $x) @times(n: 250) {
      nodes { conversation { messages(after: $x) { nodes { message } } } } } }`,
    { variables: { x: ['String', text('x', 970_000)] }, transport },
  ),
  toCase('long-id-under-reads', '{ message(id: $x) @times(n: 240) { message } }', {
    variables: { x: ['ID!', text('x', 900_000)] },
    transport,
  }),
  toCase(
    'typename-below-links-back',
    `{ messages(first: 100, conversationId: "x1") {
      nodes { conversation { messages(first: 70) { nodes { __typename @times(n: 900) } } } } } }`,
    { service: { ids: 'one' } },
  ),
];
