import { CONVERSATIONS, type List } from '../probe/list.ts';
import type { JsonResponse } from '../probe/session.ts';
import { readConversations } from '../rest/conversation.ts';
import { RestDecodeError } from '../rest/errors.ts';
import { readMessages } from '../rest/message.ts';
import { type Finding, unfit } from './finding.ts';

/** Reads a list as the gateway does. Null if that works, even if some items are malformed: they affect only themselves. */
export async function findUnreadable(
  list: List,
  { json, route }: JsonResponse,
): Promise<Finding | null> {
  const read = list.path === CONVERSATIONS.path ? readConversations : readMessages;
  const call = { method: 'GET', route } as const;
  try {
    const { items } = await read(json, call, () => {});
    const [first] = items.map(({ value }) => value);
    const isAll = items.every(({ value }) => value instanceof RestDecodeError);
    return isAll && first instanceof RestDecodeError ? explain(first) : null;
  } catch (error) {
    if (error instanceof RestDecodeError) return explain(error);
    throw error;
  }
}

const explain = ({ message }: RestDecodeError): Finding =>
  unfit(
    'service',
    message,
    'Let the service answer as its interface says, or correct MESSAGING_URL if there is another service at this address.',
  );
