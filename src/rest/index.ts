import { conversations } from './conversation.ts';
import { messages } from './message.ts';
import type { Send } from './send.ts';

/** Every call of the interface, for one caller; a new resource adds one line. */
export const createRest = (send: Send) => ({
  messages: messages(send),
  conversations: conversations(send),
});

export type Rest = ReturnType<typeof createRest>;
