import type { Resource } from '../resolvers/schema.ts';
import { conversations } from './conversation.ts';
import { conversationCosts, conversationFields } from './conversation-fields.ts';
import { messages } from './message.ts';
import { messageCosts, messageFields } from './message-fields.ts';

/** The numbers of attachments keep all their digits. All others are timestamps, which a double can hold. */
export const EXACT_FIELD = 'attachments';

/** The resources of the service: all that the rest of the gateway is given of them. A new one adds its line. */
export const resources: readonly Resource[] = [
  { calls: messages, fields: messageFields, costs: messageCosts },
  { calls: conversations, fields: conversationFields, costs: conversationCosts },
];

/** The query parameters of the interface, which a paging parameter must not overwrite. Source: Endpoints. */
export const TAKEN_PARAMETERS: readonly string[] = [
  'limit',
  ...resources.flatMap(({ calls }) => calls.filters),
];
