import { type Case, toCase } from '../case.ts';
import { list, numberKeys, raw, reactions, text } from '../value.ts';

const LONG_TEXT = '{ message(id: "x1") { message @times(n: 990) } }';
const ATTACHMENTS = '{ message(id: EACH_OTHER) { attachments } }';
const MANY_ATTACHMENTS = '{ message(id: EACH_OTHER) { attachments @times(n: 300) } }';
const NO_USERNAMES = list(raw('1'), 0);

/** Answers that were long, or slow to make. */
export const ANSWERS: readonly Case[] = [
  toCase('long-text-under-aliases', LONG_TEXT, {
    service: { message: text('x', 600_000) },
  }),
  toCase('long-text-three-at-once', LONG_TEXT, {
    service: { message: text('x', 300_000) },
    transport: { copies: 3 },
  }),
  toCase(
    'many-long-pages',
    '{ messages(first: 1, conversationId: EACH_OTHER) @times(n: 60) { nodes { id } } }',
    { service: { message: text('x', 15_000_000) } },
  ),
  toCase(
    'dates-without-unit',
    '{ messages(first: 100) { nodes { createdAtIso @times(n: 990) } } }',
  ),
  toCase(
    'cursors-under-aliases',
    '{ messages(first: 100) { edges { cursor @times(n: 990) } } }',
  ),
  toCase('answers-never-read', '{ message(id: "x1") { message @times(n: 30) } }', {
    service: { message: text('x', 500_000) },
    transport: { client: 'never reads', copies: 4 },
  }),
  toCase(
    'error-pages-with-percent',
    '{ message(id: EACH_OTHER) @times(n: 250) { id } }',
    {
      service: { mode: 'fails', status: 404, errorBody: text('x%', 32_768) },
    },
  ),
  toCase('numbers-in-attachments', '{ messages(first: 100) { nodes { attachments } } }', {
    service: { attachments: list(raw('123456789012345678901'), 500) },
  }),
  toCase('small-numbers-in-attachments', ATTACHMENTS, {
    service: { attachments: list(raw('1e-400'), 50_000) },
  }),
  toCase('long-attachments-under-aliases', MANY_ATTACHMENTS, {
    service: { attachments: list(raw('1'), 600_000) },
  }),
  toCase(
    'usernames-under-aliases',
    '{ message(id: EACH_OTHER) { reactions { usernames @times(n: 300) } } }',
    { service: { reactions: reactions(1, list(text('u', 1, true), 600_000)) } },
  ),
  toCase(
    'names-of-reactions',
    '{ message(id: EACH_OTHER) { reactions { name count usernames } } }',
    { service: { reactions: reactions(230_000, NO_USERNAMES) } },
  ),
  toCase(
    'names-of-reactions-of-a-page',
    '{ messages(first: 100) { nodes { reactions { name } } } }',
    { service: { reactions: reactions(2300, NO_USERNAMES) } },
  ),
  toCase('empty-lists-from-the-service', ATTACHMENTS, {
    service: { attachments: list(NO_USERNAMES, 340_000) },
  }),
  toCase('keys-of-an-attachment-under-aliases', MANY_ATTACHMENTS, {
    service: {
      attachments: list({ kind: 'object', of: raw('0'), keys: 145_000, keyLength: 1 }, 1),
    },
  }),
  toCase('numbers-as-keys-of-an-attachment', ATTACHMENTS, {
    service: { attachments: list(numberKeys(250_000), 1) },
  }),
  toCase('text-that-looks-like-numbers', ATTACHMENTS, {
    service: {
      message: text(':1234567890123456       ', 650_000),
      attachments: list(raw('1e5'), 1),
    },
  }),
];
