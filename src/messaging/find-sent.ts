import type { SendMessageInput } from '../generated/types.ts';
import { findKey } from '../resolvers/client-mutation-id.ts';
import type { GatewayContext } from '../resolvers/context.ts';
import type { OnceOptions } from '../resolvers/once.ts';
import { OperationalError } from '../rest/errors.ts';
import type { Send } from '../rest/send.ts';
import { toMilliseconds, unitOf } from '../rest/timestamp.ts';
import { type Message, messages, toForm } from './message.ts';
import { findIfSentByCaller, isViewerKnown } from './viewer.ts';

/** Dates of HTTP, and perhaps timestamps, have whole seconds. Unit: milliseconds. */
const SECOND_MS = 1000;

type SearchSent = OnceOptions<Message>['search'];

/**
 * Searches for a message among the newest ones of its conversation: the caller's only one that has its text and attachments, was created
 * since the send began, and was not sent under another key. Returns null if it is certainly not there: no message of the caller has its
 * text, and none was created since the send began. Returns undefined if that cannot be said.
 */
export async function findSent(
  before: Parameters<SearchSent>[0],
  { conversationId, message: text, form }: SendMessageInput & { readonly form: string },
  context: GatewayContext,
  send: Send,
): ReturnType<SearchSent> {
  const { sends, caller, budget } = context;
  const list = messages.list(send, { conversationId });
  const page = await context.readNewest(list, messages).catch(nullIfExpected);
  const newest = (page?.nodes ?? []).filter(isMessage);
  if (page === null || newest.length < page.nodes.length) return undefined;
  const since = newest[0] ? toStart(newest, before.began, context, send) : 0;
  // Who the caller is may have to be read off the conversation.
  const mayRead = isViewerKnown(context) || budget.takeSlack();
  if (since === null || !mayRead) return undefined;

  const isSame = ({ message }: Message) => message === text;
  const isRecent = ({ createdAt }: Message) => createdAt >= since;
  const alike = newest.filter((message) => isSame(message) || isRecent(message));
  const areMine = await Promise.all(
    alike.map((message) => isWithoutKey(message, context).catch(nullIfExpected)),
  );
  const possible = alike.filter((_, index) => areMine[index] !== false);
  const recent = possible.filter(isRecent);
  if (recent.length === 0) {
    const [first, last] = [newest[0]?.createdAt ?? 0, newest.at(-1)?.createdAt ?? 0];
    // Otherwise the newest may be at the other end, or too many came since.
    const isAll = !page.hasNextPage || (last < since && last < first);
    return isAll && possible.length === 0 ? null : undefined;
  }
  const [found, another] = recent.filter(isSame);
  const mayBeOthers = sends
    .open(caller)
    .some((other) => other !== before && other.content === before.content);
  const isOnly = another === undefined && !areMine.includes(null) && !mayBeOthers;
  return isOnly && found && toForm(found) === form ? found : undefined;
}

/** Whether the caller sent a message without a key; null if that is not known. */
async function isWithoutKey(
  message: Message,
  context: GatewayContext,
): Promise<boolean | null> {
  const isMine = await findIfSentByCaller(message, context);
  if (isMine === false) return false;
  return (await findKey(message.id, false, context)) === null ? isMine : false;
}

const isMessage = (node: unknown): node is Message =>
  node !== null && !(node instanceof Error);

/**
 * When a send began, as a timestamp of the service. It is reckoned from the header `Date` of the answer with the messages, because the
 * gateway's clock may differ. Null if that cannot be said.
 */
function toStart(
  messages: readonly Message[],
  began: number,
  { timestamps }: GatewayContext,
  { servedAt = '' }: Send,
): number | null {
  const now = Date.parse(servedAt);
  const unit = timestamps.unit ?? unitOf(messages[0]?.createdAt ?? 0);
  if (unit === null || Number.isNaN(now)) return null;
  const toTimestamp = (ms: number) => ms / toMilliseconds(1, unit);
  const latest = toTimestamp(now + 2 * SECOND_MS);
  if (messages.some(({ createdAt }) => createdAt > latest)) return null;
  return toTimestamp(now - (performance.now() - began) - SECOND_MS);
}

function nullIfExpected(error: unknown): null {
  if (error instanceof OperationalError) return null;
  throw error;
}
