import type { SendMessageInput } from '../generated/types.ts';
import type { GatewayContext } from '../resolvers/context.ts';
import { once } from '../resolvers/once.ts';
import { findSent } from './find-sent.ts';
import { type Message, messages } from './message.ts';
import { withinConversation } from './message-changes.ts';

/** Sends a message; with a `clientMutationId`, only once, and then also if its client leaves meanwhile. */
export function sendMessage(
  input: SendMessageInput,
  context: GatewayContext,
): Promise<Message> {
  const { clientMutationId: key, conversationId } = input;
  const written = (message: Promise<Message>) =>
    context.afterWrite(
      message,
      // The service may spell the id of the conversation differently.
      (sent) => withinConversation(conversationId, sent?.conversationId),
      messages,
    );
  if (key == null) return written(messages.create(context.send, input));
  const send = context.send.lasting();
  return messages.create(send, input, (write, form) =>
    once(context, {
      key,
      form,
      write: () => written(write()),
      async search(before) {
        const found = await findSent(before, { form, ...input }, context, send);
        return found && written(Promise.resolve(found));
      },
      read: (id) => messages.get(send, id),
    }),
  );
}
