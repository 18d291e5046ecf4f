import type { Genome, Selection, Service, Transport, Value } from './genome.ts';
import { PLAIN_SERVICE, PLAIN_TRANSPORT, select } from './random-genome.ts';
import { list, raw, text, variable } from './random-value.ts';

interface Parts {
  readonly type?: 'query' | 'mutation';
  readonly variables?: Record<string, readonly [type: string, value: Value]>;
  readonly padding?: readonly [padding: string, paddings: number];
  readonly transport?: Partial<Transport>;
  readonly service?: Partial<Service>;
}

function genome(
  name: string,
  selections: readonly Selection[],
  { type = 'query', variables = {}, padding = ['', 0], transport, service }: Parts = {},
): Genome {
  return {
    name,
    type,
    selections,
    variables: Object.fromEntries(
      Object.entries(variables).map(([key, [of, value]]) => [
        key,
        { type: of, value, isDefault: false },
      ]),
    ),
    padding: padding[0],
    paddings: padding[1],
    operations: 0,
    extensions: null,
    transport: { ...PLAIN_TRANSPORT, ...transport },
    service: { ...PLAIN_SERVICE, ...service },
  };
}

const ANONYMOUS = { token: 'none' } as const;
const X = variable('x');
const id = (value: Value = text('x', 1, true)) => ({ id: value });
const page = (size: number, more: Record<string, Value> = {}) => ({
  first: raw(String(size)),
  ...more,
});
const C1 = { conversationId: raw('"x1"') };
const failing = select('message', [select('id')], { repeat: 900, args: id(X) });
const EMPTY_ID = { x: ['ID!', raw('""')] } as const;

/** Documents that were slow to judge, most without a token and a call. */
const documents: readonly Genome[] = [
  genome(
    'junk-ids-under-aliases',
    [select('nodes', [select('nodeId')], { repeat: 800, args: { nodeIds: X } })],
    { variables: { x: ['[ID!]!', list(raw('"junk"'), 5000)] }, transport: ANONYMOUS },
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

/** Answers that were long, or slow to make. */
const answers: readonly Genome[] = [
  genome(
    'long-text-under-aliases',
    [
      select('message', [select('message', [], { repeat: 990 })], {
        args: id(raw('"x1"')),
      }),
    ],
    { service: { message: text('x', 600_000) } },
  ),
  genome(
    'long-text-three-at-once',
    [
      select('message', [select('message', [], { repeat: 990 })], {
        args: id(raw('"x1"')),
      }),
    ],
    { service: { message: text('x', 300_000) }, transport: { copies: 3 } },
  ),
  genome(
    'many-long-pages',
    [
      select('messages', [select('nodes', [select('id')])], {
        repeat: 60,
        args: page(1, { conversationId: text('x', 1, true) }),
      }),
    ],
    { service: { message: text('x', 15_000_000) } },
  ),
  genome('dates-without-unit', [
    select('messages', [select('nodes', [select('createdAtIso', [], { repeat: 990 })])], {
      args: page(100),
    }),
  ]),
  genome('cursors-under-aliases', [
    select('messages', [select('edges', [select('cursor', [], { repeat: 990 })])], {
      args: page(100),
    }),
  ]),
  genome(
    'answers-never-read',
    [
      select('message', [select('message', [], { repeat: 30 })], {
        args: id(raw('"x1"')),
      }),
    ],
    {
      service: { message: text('x', 500_000) },
      transport: { client: 'never reads', copies: 4 },
    },
  ),
  genome(
    'error-pages-with-percent',
    [select('message', [select('id')], { repeat: 250, args: id() })],
    { service: { mode: 'fails', status: 404, errorBody: text('x%', 32_768) } },
  ),
  genome(
    'numbers-in-attachments',
    [select('messages', [select('nodes', [select('attachments')])], { args: page(100) })],
    { service: { attachments: list(raw('123456789012345678901'), 500) } },
  ),
  genome(
    'small-numbers-in-attachments',
    [select('message', [select('attachments')], { args: id() })],
    { service: { attachments: list(raw('1e-400'), 50_000) } },
  ),
  genome(
    'empty-lists-from-the-service',
    [select('message', [select('attachments')], { args: id() })],
    { service: { attachments: list(list(raw('1'), 0), 340_000) } },
  ),
];

const updates = (repeat: number, attachments: Value) =>
  select('updateMessage', [select('message', [select('id')])], {
    repeat,
    args: { input: { kind: 'fields', fields: { id: raw('"x1"'), attachments } } },
  });
const wideKey: Value = {
  kind: 'object',
  of: list(raw('1'), 500),
  keys: 1,
  keyLength: 8000,
};

/** Forms that were long, and everything else. */
const others: readonly Genome[] = [
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
  genome('long-numbers-as-attachments', [updates(1, X)], {
    type: 'mutation',
    variables: { x: ['[JSON!]', list(raw('9007199254740993'), 59_000)] },
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

const written = [...documents, ...answers, ...others];

const compressed = written.map(
  (one): Genome => ({
    ...one,
    name: `${one.name}-gzip`,
    transport: { ...one.transport, encoding: 'gzip' },
  }),
);

/** Requests that once stopped the gateway, or might have, from which the search begins. Also compressed. */
export const FIRST_GENERATION: readonly Genome[] = [...written, ...compressed];
