import { type Case, toCase } from '../case.ts';
import { list, raw, reactions, text } from '../value.ts';

/** The longest list of usernames that the gateway still reads. */
const USERNAMES = { reactions: reactions(1, list(text('u', 1, true), 340_000)) };

/** The worst that searches have found. docs/security-attacks.md says what they did. */
export const WORST: readonly Case[] = [
  toCase(
    'full-pages',
    `{ messages(first: 100, conversationId: EACH_OTHER) @times(n: 240) {
      nodes { id message contact { username } } } }`,
    { service: { message: text('x', 800) } },
  ),
  toCase(
    'long-form-and-usernames',
    `mutation { updateMessage(input: { id: "x1", attachments: $x }) {
      message { reactions @inFragments(n: 1, on: "Reaction") { name @times(n: 300) usernames } } } }`,
    {
      variables: { x: ['[JSON!]', list(raw('1'), 131_000)] },
      transport: { encoding: 'br' },
      service: USERNAMES,
    },
  ),
  toCase(
    'many-long-answers',
    `{ message(id: EACH_OTHER) @times(n: 125) { id }
      messages(first: 100) { nodes { reactions { name } createdAtIso @times(n: 50) } } }`,
    {
      transport: { encoding: 'gzip' },
      service: { reactions: reactions(2300, list(raw('1'), 0)), pace: 'byte by byte' },
    },
  ),
  toCase(
    'writes-under-aliases',
    `mutation {
      updateConversation(input: { id: EACH_OTHER, pinnedMessageId: PARENT_FOLDERS, isPinned: false, isMuted: true }) @times(n: 990) {
        ... on UpdateConversationPayload {
          conversation @times(n: 240) { isPinned nodeId }
          conversation @times(n: 990) { __typename @times(n: 50) @skip(if: $yes) archivedAtIso @times(n: 50) } } }
      updateMessage(input: { id: EACH_OTHER, message: "%41%41" }) @inFragments(n: 1, on: "UpdateMessagePayload") @skip(if: $no) {
        message @times(n: 240) { readAtIso } } }`,
    { service: { ...USERNAMES, attachments: raw('{}'), drift: 5000 } },
  ),
  toCase(
    'usernames-beside-pages',
    `{ message(id: EACH_OTHER) { reactions { usernames @times(n: 300) } }
      messages(first: 100) { nodes { attachments } }
      messages(first: 100) { nodes { attachments } } }`,
    { service: USERNAMES },
  ),
];
