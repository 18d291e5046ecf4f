import { list, raw } from '../breeding/random-value.ts';
import type { Genome, Value } from '../genome/genome.ts';
import { select } from '../genome/plain.ts';
import { genome, numberKeys, page, X } from './known-request.ts';

const toInput = (attachments: Value): Value => ({
  kind: 'fields',
  fields: { id: raw('"x1"'), attachments },
});

const updates = (repeat: number, attachments: Value) =>
  select('updateMessage', [select('message', [select('id')])], {
    repeat,
    args: { input: toInput(attachments) },
  });
const wideKey: Value = {
  kind: 'object',
  of: list(raw('1'), 500),
  keys: 1,
  keyLength: 8000,
};

/** Forms that were long, and everything else. */
export const FORMS: readonly Genome[] = [
  genome('one-attachment-in-many-forms', [updates(250, X)], {
    type: 'mutation',
    variables: { x: ['[JSON!]', list(wideKey, 1)] },
  }),
  genome('empty-lists-as-attachments', [updates(1, X)], {
    type: 'mutation',
    variables: { x: ['[JSON!]', list(list(raw('1'), 0), 340_000)] },
  }),
  genome('short-numbers-as-attachments', [updates(1, X)], {
    type: 'mutation',
    variables: { x: ['[JSON!]', list(raw('1'), 500_000)] },
  }),
  genome(
    'long-form-and-long-answer',
    [
      select(
        'updateMessage',
        [
          select('message', [
            {
              ...select('reactions', [select('name', [], { repeat: 300 })]),
              wrap: 'fragments',
              wraps: 1,
            },
          ]),
        ],
        { args: { input: toInput(X) } },
      ),
    ],
    {
      type: 'mutation',
      variables: { x: ['[JSON!]', list(raw('1'), 250_000)] },
      service: {
        reactions: list(
          { kind: 'object', of: list(raw('1'), 0), keys: 230_000, keyLength: 1 },
          1,
        ),
      },
    },
  ),
  genome('long-numbers-as-attachments', [updates(1, X)], {
    type: 'mutation',
    variables: { x: ['[JSON!]', list(raw('9007199254740993'), 59_000)] },
  }),
  genome('numbers-as-keys-in-a-variable', [updates(1, X)], {
    type: 'mutation',
    variables: { x: ['[JSON!]', list(numberKeys(66_000), 1)] },
  }),
  genome('forged-cursor-far-away', [
    select('messages', [select('nodes', [select('id')])], {
      args: page(100, {
        after: { kind: 'cursor', position: 999_999_999, list: '/v1/messages' },
      }),
    }),
  ]),
  genome('feed', [
    select(
      'conversations',
      [
        select('nodes', [
          select('messages', [
            select('nodes', [select('message'), select('contact', [select('username')])]),
          ]),
        ]),
      ],
      { args: page(100) },
    ),
  ]),
  genome('schema', [
    select('__schema', [
      select('types', [
        select('name'),
        select('fields', [select('name'), select('args', [select('name')])]),
      ]),
    ]),
  ]),
  ...(['Expect', 'no Host', 'OPTIONS', 'many headers'] as const).map((oddity) =>
    genome(`odd-head-${oddity.toLowerCase().replace(' ', '-')}`, [select('__typename')], {
      transport: { oddity },
    }),
  ),
];
