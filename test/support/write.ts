import { type AskOptions, askOnce } from './gateway.ts';
import { wireConversation, wireMessage } from './wire.ts';

/** Sends one operation to a service that answers every call with a message or a conversation. */
export const sendOperation = (query: string, options: AskOptions = {}) =>
  askOnce(
    query,
    ({ line }) => ({
      body: line.includes('conversations') ? wireConversation('c1') : wireMessage('m1'),
    }),
    options,
  );

/** The fields that each input must have. */
const REQUIRED = {
  sendMessage: { conversationId: 'c1', message: 'm' },
  updateMessage: { id: 'm1' },
  addReaction: { messageId: 'm1', name: 'heart', username: 'ann' },
  removeReaction: { messageId: 'm1', name: 'heart', username: 'ann' },
  deleteMessage: { id: 'm1' },
  createConversation: {},
  updateConversation: { id: 'c1' },
  deleteConversation: { id: 'c1' },
};
export type Mutation = keyof typeof REQUIRED;

/** Sends a mutation with this input and the required fields. `selected`: of its payload. */
export const write = (mutation: Mutation, input: object, selected = '__typename') => {
  const type = mutation.replace(/^./, (letter) => letter.toUpperCase());
  return sendOperation(
    `mutation ($input: ${type}Input!) { ${mutation}(input: $input) { ${selected} } }`,
    { variables: { input: { ...REQUIRED[mutation], ...input } } },
  );
};
