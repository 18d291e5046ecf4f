import { parse } from 'qs';
import { startTestGateway } from './gateway.ts';
import { startUpstream } from './upstream.ts';
import { wireConversation, wireMessage } from './wire.ts';

/** Sends one operation; returns its answer, the calls, and the form of the first call, decoded and parsed. */
export async function sendOperation(
  query: string,
  variables: Record<string, unknown> = {},
) {
  await using upstream = await startUpstream(({ line }) => ({
    body: line.includes('conversations') ? wireConversation('c1') : wireMessage('m1'),
  }));
  await using gateway = await startTestGateway(upstream.url);
  const answer = await gateway.ask(query, { variables });
  const form = upstream.calls[0]?.form ?? '';
  return {
    ...answer,
    calls: upstream.calls,
    form,
    decoded: decodeURIComponent(form),
    parsed: parse(form, { depth: 100, arrayLimit: 1000 }),
  };
}

/** The fields that each input must have. */
const REQUIRED = {
  sendMessage: { conversationId: 'c1', message: 'm' },
  updateMessage: { id: 'm1' },
  deleteMessage: { id: 'm1' },
  createConversation: {},
  updateConversation: { id: 'c1' },
  deleteConversation: { id: 'c1' },
};
export type Mutation = keyof typeof REQUIRED;

/** Sends a mutation with this input and the required fields. */
export const write = (mutation: Mutation, input: object) => {
  const type = mutation.replace(/^./, (letter) => letter.toUpperCase());
  return sendOperation(
    `mutation ($input: ${type}Input!) { ${mutation}(input: $input) { __typename } }`,
    { input: { ...REQUIRED[mutation], ...input } },
  );
};
