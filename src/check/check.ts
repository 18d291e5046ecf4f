import type { Config } from '../config.ts';
import { Stopped } from '../probe/errors.ts';
import {
  CONVERSATIONS,
  type FirstPage,
  type List,
  MESSAGES,
  toPage,
} from '../probe/list.ts';
import {
  createSession,
  type JsonResponse,
  read,
  type Session,
} from '../probe/session.ts';
import { DEFAULT_PAGE_SIZE } from '../rest/list.ts';
import { createRawClient } from '../rest/raw.ts';
import { type Finding, fitting, unfit } from './finding.ts';
import { learn } from './learned.ts';
import { explainNoAnswer } from './no-answer.ts';
import { explainAnswer } from './other-answer.ts';
import { findUnreadable } from './readable.ts';
import { findRightAddress, type Target } from './right-address.ts';

export interface CheckOptions {
  readonly config: Config;
  /** The bearer token, without "Bearer ". */
  readonly token: string;
  /** Receives one line before each call. */
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A check needs at most a dozen, if the service limits none of them. */
const MAX_CALLS = 20;

/** Asks the service, with reads only, whether address, token and settings fit. */
export async function check({
  config,
  token,
  onProgress,
  signal,
}: CheckOptions): Promise<readonly Finding[]> {
  const { messagingUrl: url, restTimeoutMs: timeoutMs, maxResponseBytes } = config;
  const target = { url, token, signal, timeoutMs, maxResponseBytes };
  const client = createRawClient(target);
  const session = createSession({ client, maxCalls: MAX_CALLS, signal, onProgress });
  try {
    return await run(session, config, target);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return [
      unfit('service', `the check ended early: ${error.message}`, 'Try again later.'),
    ];
  } finally {
    await client.close();
  }
}

async function run(
  session: Session,
  config: Config,
  target: Target,
): Promise<readonly Finding[]> {
  const conversations = await readFirst(session, CONVERSATIONS, target);
  if ('change' in conversations) return [conversations];
  const messages = await readMessages(session, conversations, target);
  if ('change' in messages) return [messages];
  return [
    fitting('service', `it answers at ${target.url}`),
    fitting(
      'token',
      `the service accepts it, and shows ${count(conversations, 'conversation')} and ${count(messages, 'message')}`,
    ),
    ...noteOwner(messages),
    ...(await learn(session, config, { conversations, messages })),
  ];
}

const count = ({ ids, hasMore }: FirstPage, noun: string): string =>
  `${ids.length}${hasMore ? ' or more' : ''} ${noun}${ids.length === 1 ? '' : 's'}`;

/** All messages or, if the service refuses that, those of the first conversation. */
async function readMessages(
  session: Session,
  { ids }: FirstPage,
  target: Target,
): Promise<FirstPage | Finding> {
  const all = await readFirst(session, MESSAGES, target);
  const id = ids.find((one) => one !== '');
  if (!('change' in all) || all.subject === 'token' || id === undefined) return all;
  const list = { ...MESSAGES, filters: { conversation_id: id } };
  const some = await readFirst(session, list, target);
  return 'change' in some ? all : some;
}

/** A note if the service lists only the messages of one conversation, although the interface lists all. */
const noteOwner = ({ list }: FirstPage): Finding[] =>
  list.filters.conversation_id === undefined
    ? []
    : [
        fitting(
          'learned',
          'messages: the service lists those of one conversation, and not all',
        ),
      ];

/** Reads the first page as the gateway does, or finds out why that fails; if it is the first list, at another address too. */
async function readFirst(
  session: Session,
  list: List,
  target: Target,
): Promise<FirstPage | Finding> {
  const query = { ...list.filters, limit: DEFAULT_PAGE_SIZE };
  const purpose = `the first ${list === CONVERSATIONS ? 'conversations' : 'messages'}`;
  // With the client, a refused token is an answer like others.
  const { client } = session;
  const answer = await read(session, { purpose, path: list.path, query, client });
  const page = answer === null ? null : toPage(answer);
  if (answer !== null && page !== null)
    return (await findUnreadable(list, answer)) ?? { ...page, list };
  const finding = explain(answer, session, target);
  if (list !== CONVERSATIONS) return finding;
  return (await findRightAddress(session, target, answer)) ?? finding;
}

const explain = (
  answer: JsonResponse | null,
  { lastError }: Session,
  { url, timeoutMs }: Target,
): Finding =>
  answer === null ? explainNoAnswer(lastError, timeoutMs) : explainAnswer(answer, url);
