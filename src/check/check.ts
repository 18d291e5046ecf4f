import type { Config } from '../config.ts';
import { readConversations } from '../messaging/conversation.ts';
import { readMessages } from '../messaging/message.ts';
import { Stopped } from '../probe/errors.ts';
import {
  explainAnswer,
  explainNoAnswer,
  type Finding,
  ok,
  problem,
} from '../probe/explain.ts';
import {
  CONVERSATIONS,
  type FirstPage,
  type List,
  MESSAGES,
  toPage,
} from '../probe/list.ts';
import { ask, createSession, type JsonResponse, type Session } from '../probe/session.ts';
import { RestDecodeError } from '../rest/errors.ts';
import { DEFAULT_PAGE_SIZE } from '../rest/list.ts';
import { describeLearned } from './learned.ts';
import { findRightAddress } from './right-address.ts';

interface CheckOptions {
  readonly config: Config;
  /** The bearer token, without "Bearer ". */
  readonly token: string;
  /** Receives one line before each call. */
  readonly onProgress: (line: string) => void;
}

/** A check needs at most a dozen, if the service limits none of them. */
const MAX_CALLS = 20;

/** Asks the service, with reads only, whether address, token and settings fit: a probe that stops at the first problem. */
export async function check({
  config,
  token,
  onProgress,
}: CheckOptions): Promise<readonly Finding[]> {
  const { messagingUrl: url, restTimeoutMs: timeoutMs, maxResponseBytes } = config;
  const target = { url, token, timeoutMs, maxResponseBytes };
  const session = createSession({ target, maxCalls: MAX_CALLS, onProgress });
  try {
    return await run(session, config);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    const words = `the check ended early: ${error.message}`;
    return [problem('service', words, 'Try again later.')];
  } finally {
    await session.client.close();
  }
}

async function run(session: Session, config: Config): Promise<readonly Finding[]> {
  const conversations = await readFirst(session, CONVERSATIONS);
  if ('fix' in conversations) return [conversations];
  const messages = await readFirstMessages(session, conversations);
  if ('fix' in messages) return [messages];
  return [
    ok('service', `it answers at ${session.target.url}`),
    ok(
      'token',
      `the service accepts it, and shows ${count(conversations, 'conversation')} and ${count(messages, 'message')}`,
    ),
    ...(messages.list === MESSAGES ? [] : [ok('learned', OF_ONE_CONVERSATION)]),
    ...(await describeLearned(session, config, { conversations, messages })),
  ];
}

/** The interface lists all. */
const OF_ONE_CONVERSATION =
  'messages: the service lists those of one conversation, and not all';

const count = ({ ids, hasMore }: FirstPage, noun: string): string =>
  `${ids.length}${hasMore ? ' or more' : ''} ${noun}${ids.length === 1 ? '' : 's'}`;

/** All messages or, if the service refuses that, those of the first conversation. */
async function readFirstMessages(
  session: Session,
  { ids }: FirstPage,
): Promise<FirstPage | Finding> {
  const all = await readFirst(session, MESSAGES);
  const id = ids.find((one) => one !== '');
  if (!('fix' in all) || all.subject === 'token' || id === undefined) return all;
  const list = { ...MESSAGES, filters: { conversation_id: id } };
  const some = await readFirst(session, list);
  return 'fix' in some ? all : some;
}

/** Reads the first page as the gateway does, or finds out why that fails; if it is the first list, at another address too. */
async function readFirst(session: Session, list: List): Promise<FirstPage | Finding> {
  const query = { ...list.filters, limit: DEFAULT_PAGE_SIZE };
  const purpose = `the first ${list === CONVERSATIONS ? 'conversations' : 'messages'}`;
  // A refused token is an answer like others.
  const answer = await ask(session, { purpose, path: list.path, query });
  const page = answer === null ? null : toPage(answer);
  if (answer !== null && page !== null)
    return (await findUnreadable(list, answer)) ?? { ...page, list };
  const { url, timeoutMs } = session.target;
  const finding =
    answer === null
      ? explainNoAnswer(session.lastError, timeoutMs)
      : explainAnswer(answer, url);
  if (list !== CONVERSATIONS) return finding;
  return (await findRightAddress(session, answer)) ?? finding;
}

/** Reads a list as the gateway does. Null if that works, even if some items are malformed: they affect only themselves. */
async function findUnreadable(
  list: List,
  { json, route }: JsonResponse,
): Promise<Finding | null> {
  const decode = list === CONVERSATIONS ? readConversations : readMessages;
  const call = { method: 'GET', route } as const;
  try {
    const { items } = await decode(json, call, () => {});
    const [first] = items.map(({ value }) => value);
    const isAll = items.every(({ value }) => value instanceof RestDecodeError);
    return isAll && first instanceof RestDecodeError ? toProblem(first) : null;
  } catch (error) {
    if (error instanceof RestDecodeError) return toProblem(error);
    throw error;
  }
}

const toProblem = ({ message }: RestDecodeError): Finding =>
  problem(
    'service',
    message,
    'Let the service answer as its interface says, or correct MESSAGING_URL if there is another service at this address.',
  );
