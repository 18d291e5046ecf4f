import { type Case, toCase } from '../case.ts';
import { list, numberKeys, raw, reactions, type Value } from '../value.ts';

const UPDATE =
  'mutation { updateMessage(input: { id: "x1", attachments: $x }) { message { id } } }';
const wideKey: Value = {
  kind: 'object',
  of: list(raw('1'), 500),
  keys: 1,
  keyLength: 8000,
};

const update = (name: string, attachments: Value): Case =>
  toCase(name, UPDATE, { variables: { x: ['[JSON!]', attachments] } });

/** Forms that were long, and everything else. */
export const FORMS: readonly Case[] = [
  toCase('one-attachment-in-many-forms', UPDATE.replace(') {', ') @times(n: 250) {'), {
    variables: { x: ['[JSON!]', list(wideKey, 1)] },
  }),
  update('empty-lists-as-attachments', list(list(raw('1'), 0), 340_000)),
  update('short-numbers-as-attachments', list(raw('1'), 500_000)),
  toCase(
    'long-form-and-long-answer',
    `mutation { updateMessage(input: { id: "x1", attachments: $x }) {
      message { reactions @inFragments(n: 1, on: "Reaction") { name @times(n: 300) } } } }`,
    {
      variables: { x: ['[JSON!]', list(raw('1'), 131_000)] },
      service: { reactions: reactions(230_000, list(raw('1'), 0)) },
    },
  ),
  update('long-numbers-as-attachments', list(raw('9007199254740993'), 59_000)),
  update('numbers-as-keys-in-a-variable', list(numberKeys(66_000), 1)),
  toCase(
    'forged-cursor-far-away',
    '{ messages(first: 100, after: FAR_CURSOR) { nodes { id } } }',
  ),
  ...(['Expect', 'no Host', 'OPTIONS', 'many headers'] as const).map((oddity) =>
    toCase(`odd-head-${oddity.toLowerCase().replace(' ', '-')}`, '{ __typename }', {
      transport: { oddity },
    }),
  ),
];
