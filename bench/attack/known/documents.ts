import { list, raw, text } from '../breeding/random-value.ts';
import type { Genome } from '../genome/genome.ts';
import { select } from '../genome/plain.ts';
import { genome, id, page, X } from './known-request.ts';

const ANONYMOUS = { token: 'none' } as const;
const C1 = { conversationId: raw('"x1"') };
const failing = select('message', [select('id')], { repeat: 900, args: id(X) });
const ENTITIES = { representations: X };
const MESSAGE = raw('{"__typename":"Message","id":"x1"}');
const CONTACT = [
  select('message'),
  select('contact', [select('username'), select('createdAt')]),
];
const EMPTY_ID = { x: ['ID!', raw('""')] } as const;

/** Documents that were slow to judge, most without a token and a call. */
export const DOCUMENTS: readonly Genome[] = [
  genome(
    'junk-ids-under-aliases',
    [select('nodes', [select('nodeId')], { repeat: 800, args: { nodeIds: X } })],
    { variables: { x: ['[ID!]!', list(raw('"junk"'), 5000)] }, transport: ANONYMOUS },
  ),
  genome(
    'representations-under-aliases',
    [select('_entities', [select('__typename')], { repeat: 800, args: ENTITIES })],
    { variables: { x: ['[_Any!]!', list(MESSAGE, 5000)] }, transport: ANONYMOUS },
  ),
  genome(
    'empty-representations',
    [select('_entities', [select('__typename')], { repeat: 800, args: ENTITIES })],
    { variables: { x: ['[_Any!]!', list(raw('{}'), 260_000)] }, transport: ANONYMOUS },
  ),
  genome(
    'representations-of-one-message',
    [select('_entities', [select('... on Message', CONTACT)], { args: ENTITIES })],
    { variables: { x: ['[_Any!]!', list(MESSAGE, 9500)] } },
  ),
  genome('lines-before-failing-fields', [failing], {
    variables: EMPTY_ID,
    padding: ['\n', 490_000],
    transport: ANONYMOUS,
  }),
  genome('returns-before-failing-fields', [failing], {
    variables: EMPTY_ID,
    padding: ['\r', 490_000],
    transport: ANONYMOUS,
  }),
  genome('few-lines-before-failing-fields', [failing], {
    variables: EMPTY_ID,
    padding: ['\n', 4900],
    transport: ANONYMOUS,
  }),
  genome('lines-before-unknown-fields', [select('unknown', [], { repeat: 100 })], {
    padding: ['\r', 490_000],
    transport: ANONYMOUS,
  }),
  genome(
    'long-cursor-under-lists',
    [
      select(
        'messages',
        [
          select('nodes', [
            select('conversation', [
              select('messages', [select('nodes', [select('message')])], {
                args: { after: X },
              }),
            ]),
          ]),
        ],
        { repeat: 250, args: { after: X } },
      ),
    ],
    { variables: { x: ['String', text('x', 970_000)] }, transport: ANONYMOUS },
  ),
  genome(
    'long-id-under-reads',
    [select('message', [select('message')], { repeat: 240, args: id(X) })],
    {
      variables: { x: ['ID!', text('x', 900_000)] },
      transport: ANONYMOUS,
    },
  ),
  genome(
    'typename-below-links-back',
    [
      select(
        'messages',
        [
          select('nodes', [
            select('conversation', [
              select(
                'messages',
                [select('nodes', [select('__typename', [], { repeat: 900 })])],
                { args: page(70) },
              ),
            ]),
          ]),
        ],
        { args: page(100, C1) },
      ),
    ],
    { service: { ids: 'one' } },
  ),
];
