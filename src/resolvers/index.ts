import type { Resolvers } from '../generated/types.ts';
import { conversation } from './conversation.ts';
import { message } from './message.ts';
import { node } from './node.ts';
import { scalars } from './scalars.ts';

/** Every resolver map; a new resource is a line here. */
export const resolvers: Resolvers[] = [scalars, node, message, conversation];
