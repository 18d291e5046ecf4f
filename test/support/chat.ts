import { setTimeout as sleep } from 'node:timers/promises';
import { type AskOptions, startScripted } from './gateway.ts';
import type { Respond, UpstreamAnswer } from './upstream.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from './wire.ts';

/** What becomes of one POST: whether the message is stored, and how it is answered. */
export interface Fault {
  readonly isStored: boolean;
  readonly answer: UpstreamAnswer;
}
const broken = { broken: 'before' } as const;
export const ANSWER_LOST: Fault = { isStored: true, answer: broken };
export const REQUEST_LOST: Fault = { isStored: false, answer: broken };

export interface ChatOptions {
  /** What becomes of the POSTs, one by one; those after them go well. */
  readonly faults?: readonly (Fault | null)[];
  /** How long a POST takes: the message is stored in the middle. */
  readonly delayMs?: number;
  /** The header `Date` of lists; null: none. Default: the present time. */
  readonly date?: string | null;
  readonly order?: 'newest' | 'oldest' | 'mixed';
  /** What the service makes of a text. */
  readonly toText?: (text: string) => string;
  /** How far the clock of the messages is ahead. Unit: seconds. */
  readonly aheadBy?: number;
}

/** In no order by time: every second message is before a newer one. */
const MIXED = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10];

/** A service with one conversation, c1, in which each caller has one name, and talks with bob. It has some messages already. */
export function createChat({
  faults = [],
  delayMs = 0,
  date,
  order = 'newest',
  toText = String,
  aheadBy = 0,
}: ChatOptions = {}) {
  const now = () => Math.floor(Date.now() / 1000) + aheadBy;
  const ann = wireContact();
  const bob = wireContact({ id: 'u2', username: 'bob' });
  /** The newest first. */
  const stored = Array.from({ length: 12 }, (_, index) =>
    wireMessage(`m${11 - index}`, {
      contact: index % 2 ? ann : bob,
      created_at: now() - 1000 * (index + 1),
    }),
  );
  const before = stored.length;
  let posts = 0;
  const add = (message: string, contact: object = ann, attachments: object[] = []) => {
    const added = { message, contact, attachments, created_at: now() };
    stored.unshift(wireMessage(`m${stored.length}`, added));
    return stored[0];
  };

  function list(line: string): UpstreamAnswer {
    const limit = Number(/limit=(\d+)/.exec(line)?.[1] ?? 10);
    const all = order === 'oldest' ? stored.toReversed() : [...stored];
    if (order === 'mixed') all.splice(0, 12, ...MIXED.flatMap((at) => all[at] ?? []));
    const body = wirePage(all.slice(0, limit), all.length > limit);
    if (date !== null) return { body, ...(date && { headers: { date } }) };
    return {
      async write(response) {
        response.sendDate = false;
        response.end(JSON.stringify(body));
      },
    };
  }

  const respond: Respond = async ({ line, form }) => {
    if (line.startsWith('POST ')) {
      const fault = faults[posts];
      posts += 1;
      await sleep(delayMs / 2);
      const sent = new URLSearchParams(form);
      const text = toText(sent.get('message') ?? '');
      const url = sent.get('attachments[0][url]');
      const attachments = url === null ? [] : [{ url }];
      const body = (fault?.isStored ?? true) ? add(text, ann, attachments) : null;
      return { body, delayMs: delayMs / 2, ...fault?.answer };
    }
    const [, id] = /^GET \/v1\/messages\/(\w+)/.exec(line) ?? [];
    if (line.includes('/conversations')) return { body: wireConversation('c1') };
    if (id === undefined) return list(line);
    const body = stored.find((message) => message.id === id);
    return body ? { body } : { status: 404 };
  };
  return {
    respond,
    add,
    ann,
    bob,
    /** The texts that were sent, the oldest first. */
    texts: () =>
      stored
        .map(({ message }) => message)
        .reverse()
        .slice(before),
  };
}

/** A mutation that sends a text under a key. */
export const sendAs = (key: string | null, text = 'hi', more = '') =>
  `mutation { sendMessage(input: { conversationId: "c1", message: "${text}" ${more} clientMutationId: ${JSON.stringify(key)} }) {
    clientMutationId message { id message }
  } }`;

/** That service, with a gateway in front of it. */
export async function startChat(options: ChatOptions = {}, env = {}) {
  const chat = createChat(options);
  const gateway = await startScripted(chat.respond, env);
  const count = (method: string) => () =>
    gateway.service.lines().filter((line) => line.startsWith(method)).length;
  return {
    ...gateway,
    ...chat,
    posts: count('POST'),
    reads: count('GET'),
    /** Sends, and returns the id of the message; or the code of the error, with `?` if the outcome is unknown. */
    async send(
      key: string | null,
      text = 'hi',
      ask: AskOptions = {},
      more = '',
    ): Promise<string> {
      const { data, errors } = await gateway.ask(sendAs(key, text, more), ask);
      const [error] = errors ?? [];
      if (error === undefined) return data.sendMessage.message.id;
      return error.extensions.code + (error.extensions.outcome ? '?' : '');
    },
  };
}
