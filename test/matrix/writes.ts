import { expect } from 'vitest';
import { codes } from '../support/gateway.ts';
import {
  expectSuccess,
  expectWrites,
  LONGEST,
  mutate,
  type OpenPoints,
  react,
  send,
  type Tools,
} from './tools.ts';

const archive = (tools: Tools, archivedAt: number | null) =>
  mutate(tools, 'updateConversation', { id: LONGEST, archivedAt });

/** A message to an archived conversation gets these codes; to a restored one it succeeds. */
async function archiveThenSend(tools: Tools, expected: object): Promise<void> {
  await expectSuccess(archive(tools, 1));
  expect(codes(await send(tools))).toEqual(expected);
  await expectSuccess(archive(tools, null));
  await expectSuccess(send(tools));
}

/** The open points of the fields and of writes. */
export const WRITES: OpenPoints = {
  '1 allowed reaction names': [
    { name: 'any', check: (tools) => expectSuccess(react(tools, '🎉 wow', ['ada'])) },
    {
      name: 'a few',
      knobs: { reactionNames: ['heart'] },
      async check(tools) {
        await expectSuccess(react(tools, 'heart', ['ada']));
        const refused = { updateMessage: 'BAD_USER_INPUT' };
        expect(codes(await react(tools, 'sad', ['ada']))).toEqual(refused);
      },
    },
  ],
  '2 attachment fields': (['nested', 'flat', 'bare'] as const).map((attachments) => ({
    name: attachments,
    knobs: { attachments },
    async check(tools) {
      const { data } = await tools.ask(
        `{ messages(conversationId: "${LONGEST}", first: 100) { nodes { attachments } } }`,
      );
      expect(JSON.stringify(data)).toContain('"type"');
      const given = [{ a: [{ b: '1' }, { c: '2' }] }, 'plain'];
      const sent = await send(tools, { attachments: given });
      expect(sent.data.sendMessage.message.attachments).toEqual(given);
    },
  })),
  '3 group resource': [{ groupId: 'group_choir' }, { contactId: 'contact_x' }].map(
    (input) => ({
      name: JSON.stringify(input),
      async check(tools) {
        const { data } = await mutate(tools, 'createConversation', input);
        const { contactId, groupId } = data.createConversation.conversation;
        expect([contactId, groupId].filter(Boolean)).toHaveLength(1);
      },
    }),
  ),
  '4 timestamp unit': (['seconds', 'milliseconds', 'microseconds'] as const).flatMap(
    (unit) =>
      [{ TIMESTAMP_UNIT: unit }, {}].map((settings) => ({
        name: `${unit}, with the settings ${JSON.stringify(settings)}`,
        knobs: { timestampUnit: unit },
        settings,
        async check(tools) {
          const { data } = await tools.ask(
            `{ conversation(id: "${LONGEST}") { createdAt createdAtIso } }`,
          );
          const { createdAt, createdAtIso: archivedAtIso } = data.conversation;
          expect(archivedAtIso).toMatch(/^202[0-9]-/);
          const inputs = [{ archivedAt: createdAt }, { archivedAtIso }];
          for (const input of inputs) {
            const archived = await mutate(tools, 'updateConversation', {
              id: LONGEST,
              ...input,
            });
            const { conversation } = archived.data.updateConversation;
            expect(conversation.archivedAt).toBe(createdAt);
          }
        },
      })),
  ),
  '5 transitions': [
    { name: 'open', check: (tools) => archiveThenSend(tools, {}) },
    {
      name: 'frozen',
      knobs: { archived: 'frozen' },
      check: (tools) => archiveThenSend(tools, { sendMessage: 'CONFLICT' }),
    },
  ],
  '6 success status codes': [
    { name: '200', check: expectWrites },
    {
      name: '201, 202, 204',
      knobs: { createStatus: 201, updateStatus: 202, deleteStatus: 204 },
      check: expectWrites,
    },
    {
      name: '206, 299',
      knobs: { readStatus: 206, createStatus: 299, updateStatus: 203, deleteStatus: 202 },
      check: expectWrites,
    },
  ],
  '7 body of a delete': (['flag', 'object', 'text', 'empty'] as const).map(
    (deleteBody) => ({ name: deleteBody, knobs: { deleteBody }, check: expectWrites }),
  ),
  '10 reactions in an update': (['replace', 'add'] as const).map((reactions) => ({
    name: reactions,
    knobs: { reactions },
    async check(tools) {
      const first = await react(tools, 'heart', ['ada']);
      const { id } = first.data.updateMessage.message;
      const change = { id, reactions: [{ name: 'heart', usernames: ['grace'] }] };
      const { data } = await mutate(tools, 'updateMessage', change);
      expect(data.updateMessage.message.reactions).toEqual([
        { name: 'heart', usernames: reactions === 'add' ? ['ada', 'grace'] : ['grace'] },
      ]);
    },
  })),
  '11 JSON bodies': (['refuse', 'accept'] as const).map((jsonBodies) => ({
    name: jsonBodies,
    knobs: { jsonBodies },
    async check(tools) {
      await expectWrites(tools);
      expect(tools.calls.some(({ body }) => body.startsWith('{'))).toBe(false);
    },
  })),
  '12 both contact_id and group_id': (['group', 'refuse', 'both'] as const).map(
    (bothIds) => ({
      name: bothIds,
      knobs: { bothIds },
      async check(tools) {
        const ids = { contactId: 'contact_x', groupId: 'group_choir' };
        const answer = await mutate(tools, 'createConversation', ids);
        expect(tools.calls.at(-1)?.body).toBe(
          'contact_id=contact_x&group_id=group_choir',
        );
        if (bothIds === 'refuse')
          expect(codes(answer)).toEqual({ createConversation: 'BAD_USER_INPUT' });
        else
          expect(answer.data.createConversation.conversation).toMatchObject({
            contactId: bothIds === 'both' ? 'contact_x' : null,
            groupId: 'group_choir',
          });
      },
    }),
  ),
  '18 limits of messages and attachments': ([400, 422] as const).map(
    (oversizeStatus) => ({
      name: `${oversizeStatus} above 5 characters, 1 attachment`,
      knobs: { maxMessageLength: 5, maxAttachments: 1, oversizeStatus },
      async check(tools) {
        await expectSuccess(send(tools));
        const long = await send(tools, { message: 'hello!' });
        const many = await send(tools, { attachments: ['a', 'b'] });
        for (const refused of [long, many]) {
          expect(codes(refused)).toEqual({ sendMessage: 'BAD_USER_INPUT' });
          expect(refused.errors?.[0]?.extensions.upstream).toMatchObject({
            status: oversizeStatus,
          });
        }
      },
    }),
  ),
};
