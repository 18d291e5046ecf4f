import type { Costs } from '../cost/declaration.ts';
import type { Resolvers } from '../generated/types.ts';
import { conversation, conversationCosts } from './conversation.ts';
import { live } from './live.ts';
import { message, messageCosts } from './message.ts';
import { node, nodeCosts } from './node.ts';
import { scalars } from './scalars.ts';

/** Every resolver map; a new resource adds its own. */
export const resolvers: Resolvers[] = [scalars, node, message, conversation, live];

/** What their fields cost; a new resource adds its own. */
export const costs: Costs[] = [nodeCosts, messageCosts, conversationCosts];
