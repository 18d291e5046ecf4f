import { Conversations } from './conversation.ts';
import { Messages } from './message.ts';
import type { Send } from './send.ts';

/** Every call of the interface, for one caller; a new resource adds one line. */
export const createRest = (send: Send) => ({
  messages: new Messages(send),
  conversations: new Conversations(send),
});

export type Rest = ReturnType<typeof createRest>;
