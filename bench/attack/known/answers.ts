import { list, raw, text } from '../breeding/random-value.ts';
import type { Genome, Value } from '../genome/genome.ts';
import { select } from '../genome/plain.ts';
import { genome, id, numberKeys, page } from './known-request.ts';

const reactions = (names: number, usernames: Value): Value =>
  list({ kind: 'object', of: usernames, keys: names, keyLength: 1 }, 1);

/** Answers that were long, or slow to make. */
export const ANSWERS: readonly Genome[] = [
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
    'long-attachments-under-aliases',
    [select('message', [select('attachments', [], { repeat: 300 })], { args: id() })],
    { service: { attachments: list(raw('1'), 600_000) } },
  ),
  genome(
    'usernames-under-aliases',
    [
      select(
        'message',
        [select('reactions', [select('usernames', [], { repeat: 300 })])],
        { args: id() },
      ),
    ],
    { service: { reactions: reactions(1, list(text('u', 1, true), 600_000)) } },
  ),
  genome(
    'names-of-reactions',
    [
      select(
        'message',
        [select('reactions', [select('name'), select('count'), select('usernames')])],
        { args: id() },
      ),
    ],
    { service: { reactions: reactions(230_000, list(raw('1'), 0)) } },
  ),
  genome(
    'names-of-reactions-of-a-page',
    [
      select('messages', [select('nodes', [select('reactions', [select('name')])])], {
        args: page(100),
      }),
    ],
    { service: { reactions: reactions(2300, list(raw('1'), 0)) } },
  ),
  genome(
    'empty-lists-from-the-service',
    [select('message', [select('attachments')], { args: id() })],
    { service: { attachments: list(list(raw('1'), 0), 340_000) } },
  ),
  genome(
    'keys-of-an-attachment-under-aliases',
    [select('message', [select('attachments', [], { repeat: 300 })], { args: id() })],
    {
      service: {
        attachments: list(
          { kind: 'object', of: raw('0'), keys: 290_000, keyLength: 1 },
          1,
        ),
      },
    },
  ),
  ...[100_000, 250_000].map((keys) =>
    genome(
      `numbers-as-${keys}-keys-of-an-attachment`,
      [select('message', [select('attachments')], { args: id() })],
      { service: { attachments: list(numberKeys(keys), 1) } },
    ),
  ),
  genome(
    'text-that-looks-like-numbers',
    [select('message', [select('attachments')], { args: id() })],
    {
      service: {
        message: text(':1234567890123456       ', 650_000),
        attachments: list(raw('1e5'), 1),
      },
    },
  ),
];
