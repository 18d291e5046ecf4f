import { expect } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import type { Call } from '../../src/embedded/service.ts';
import type { GraphqlAnswer } from '../support/gateway.ts';

export const TOKEN = 'ada-sample-token';
/** The longest conversation of the sample data. */
export const LONGEST = 'conv_lisbon_trip';

/** The answers to each open point, by its number and name. */
export type OpenPoints = Record<string, PointAnswer[]>;

/** One plausible answer of a service to an open point. */
export interface PointAnswer {
  readonly name: string;
  /** How the embedded service gives this answer. */
  readonly knobs?: Partial<Answers>;
  /** Settings of the gateway. */
  readonly settings?: Record<string, string>;
  /** Checks that the gateway works with such a service. */
  check(tools: Tools): Promise<void>;
}

export interface Tools {
  ask(query: string, variables?: Record<string, unknown>): Promise<GraphqlAnswer>;
  /** The calls that the service received. */
  readonly calls: Call[];
  /** The address of the service. */
  readonly url: string;
  readonly gatewayUrl: string;
}

const PAYLOADS = {
  sendMessage: 'message { id message reactions { name usernames } attachments }',
  updateMessage: 'message { id message reactions { name usernames } attachments }',
  deleteMessage: 'deletedMessageId',
  createConversation: 'conversation { id contactId groupId }',
  updateConversation: 'conversation { id isMuted archivedAt }',
  deleteConversation: 'deletedConversationId',
};

/** Runs one mutation. */
export const mutate = (
  { ask }: Tools,
  field: keyof typeof PAYLOADS,
  input: Record<string, unknown>,
): Promise<GraphqlAnswer> => {
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}Input`;
  return ask(
    `mutation ($input: ${type}!) { ${field}(input: $input) { ${PAYLOADS[field]} } }`,
    { input },
  );
};

/** Sends a message to the longest conversation. */
export const send = (tools: Tools, input: Record<string, unknown> = {}) =>
  mutate(tools, 'sendMessage', { conversationId: LONGEST, message: 'hello', ...input });

/** Sends a message, then reacts to it. */
export async function react(tools: Tools, name: string, usernames: string[]) {
  const { id } = (await send(tools)).data.sendMessage.message;
  return await mutate(tools, 'updateMessage', { id, reactions: [{ name, usernames }] });
}

export async function expectSuccess(answer: Promise<GraphqlAnswer>): Promise<void> {
  expect((await answer).errors).toBeUndefined();
}

/** Writes and deletes of both kinds succeed. */
export async function expectWrites(tools: Tools): Promise<void> {
  const { id } = (await send(tools)).data.sendMessage.message;
  await expectSuccess(mutate(tools, 'updateMessage', { id, message: 'edited' }));
  await expectSuccess(mutate(tools, 'deleteMessage', { id }));
  const created = await mutate(tools, 'createConversation', { contactId: 'contact_new' });
  const conversation = { id: created.data.createConversation.conversation.id };
  const muted = { ...conversation, isMuted: true };
  await expectSuccess(mutate(tools, 'updateConversation', muted));
  await expectSuccess(mutate(tools, 'deleteConversation', conversation));
}
