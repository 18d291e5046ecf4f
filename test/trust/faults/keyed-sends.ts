import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../../src/embedded/sample/random.ts';
import { ask } from '../../support/gateway.ts';
import type { Faults } from './faults.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';

/** As RetryLink of Apollo Client. */
const MAX_ATTEMPTS = 5;
const PAUSE_MS = 50;
/** A conversation gets this many, one after the other, because one person writes no faster. */
const PER_CONVERSATION = 10;
const CLIENTS = 20;
/** The share of all requests that their client gives up, and after how long at most. Unit: milliseconds. */
const CUT_SHARE = 0.1;
const LATEST_CUT_MS = 120;
/** Long enough that a client which gave up comes back while its message is under way. Unit: milliseconds. */
const LATENCY_MS = 100;

export const startServiceToSend = (seed: number) =>
  startFaultyService({ seed, share: 0.1, kinds: UNCERTAIN, latencyMs: LATENCY_MS });

const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }`;

/** After these it is not known whether the service has carried out a call. */
const UNCERTAIN: Faults = [
  'silent',
  'reset',
  'cutOff',
  'half',
  'notJson',
  '500',
  '502',
  '503',
];

/** What the client of one message was told in the end. */
type Ending = 'sent' | 'unknown' | 'failed';

export interface SentMessage {
  readonly ending: Ending;
  readonly attempts: number;
  readonly cuts: number;
  /** How many messages of this text the service has. */
  readonly stored: number;
}

/** Sends messages under keys, each again until its client knows what became of it; each attempt at the next of the replicas, `urls`. */
export async function sendUnderKeys(
  faulty: FaultyService,
  { urls, messages, seed }: { urls: readonly string[]; messages: number; seed: number },
): Promise<SentMessage[]> {
  const random = createRandom(seed);
  const { token, share } = faulty;
  const rest = async (method: 'GET' | 'POST', path: string, body?: string) => {
    faulty.share = 0;
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const response = await fetch(`${faulty.url}/v1/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    return (await response.json()) as Record<string, unknown>;
  };

  /** Null: the client gave up. */
  async function tryOnce(url: string, input: object): Promise<Ending | null> {
    const isCut = random.chance(CUT_SHARE);
    const signal = isCut ? AbortSignal.timeout(random.below(LATEST_CUT_MS)) : undefined;
    try {
      const options = { token, variables: { input }, ...(signal && { signal }) };
      const [error] = (await ask(url, SEND, options)).errors ?? [];
      if (error === undefined) return 'sent';
      return error.extensions.outcome === 'unknown' ? 'unknown' : 'failed';
    } catch (error) {
      if (signal?.aborted) return null;
      throw error;
    }
  }

  async function send(input: object) {
    let ending: Ending | null = null;
    let [attempts, cuts] = [0, 0];
    while (attempts < MAX_ATTEMPTS && ending !== 'sent') {
      if (attempts > 0) await sleep(PAUSE_MS * attempts);
      ending = await tryOnce(urls[attempts % urls.length] ?? '', input);
      attempts += 1;
      if (ending === null) cuts += 1;
    }
    return { ending: ending ?? 'unknown', attempts, cuts };
  }

  const texts = Array.from({ length: messages }, (_, index) => `send-${index}.`);
  const left = [...texts];
  const ends = new Map<string, Awaited<ReturnType<typeof send>>>();
  const conversations: string[] = [];
  for (let count = 0; count < messages; count += PER_CONVERSATION)
    conversations.push(
      String((await rest('POST', 'conversations', 'contact_id=user_grace')).id),
    );
  faulty.share = share;
  const client = async () => {
    for (;;) {
      const conversationId = conversations.pop();
      if (conversationId === undefined) return;
      for (const message of left.splice(0, PER_CONVERSATION)) {
        const clientMutationId = randomUUID();
        ends.set(message, await send({ conversationId, message, clientMutationId }));
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));

  const { data } = await rest('GET', 'messages?limit=1000000');
  const counts = Map.groupBy(data as { message: string }[], ({ message }) => message);
  return texts.map((text) => {
    const end = ends.get(text);
    if (end === undefined) throw new Error(`${text} was not sent`);
    return { ...end, stored: counts.get(text)?.length ?? 0 };
  });
}
