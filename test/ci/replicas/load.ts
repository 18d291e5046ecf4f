import type { GraphqlAnswer } from '../../support/gateway.ts';
import { post } from '../../support/http.ts';

/** What became of the operations. */
interface Tally {
  sent: number;
  answered: number;
  /** Why operations were lost. */
  readonly lost: string[];
  /** The texts of the messages that were sent. */
  readonly texts: string[];
}

const CONVERSATION = 'conv_lisbon_trip';
const READ = `{ conversation(id: "${CONVERSATION}") { id messages(first: 2) { nodes { message } } } }`;
const SEND = `mutation Send($text: String!) {
  sendMessage(input: { conversationId: "${CONVERSATION}", message: $text }) { message { message } }
}`;
/** How many clients send one operation after another. */
const CLIENTS = 8;

/** Sends reads and writes without a pause, each over a connection of its own; nothing is ever sent again. */
export function startLoad(url: string, name: string) {
  const tally: Tally = { sent: 0, answered: 0, lost: [], texts: [] };
  let isOver = false;

  async function send(number: number): Promise<void> {
    const isWrite = number % 4 === 0;
    const text = `${name} ${number}`;
    if (isWrite) tally.texts.push(text);
    const operation = isWrite ? { query: SEND, variables: { text } } : { query: READ };
    const answer = await askOnce(url, operation);
    const shown = isWrite
      ? answer.data?.sendMessage?.message.message === text
      : answer.data?.conversation?.messages.nodes.length === 2;
    if (shown !== true) throw new Error(JSON.stringify(answer).slice(0, 300));
  }

  async function client(): Promise<void> {
    while (!isOver) {
      tally.sent += 1;
      try {
        await send(tally.sent);
        tally.answered += 1;
      } catch (error) {
        tally.lost.push(String(error));
      }
    }
  }
  const running = Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    tally,
    /** Sends no more, and waits for the answers. */
    async stop() {
      isOver = true;
      await running;
      return tally;
    },
  };
}

/** Sends one operation over a new connection. */
export async function askOnce(
  url: string,
  operation: object,
  token = 'ada-sample-token',
): Promise<GraphqlAnswer> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  const response = await post(url, operation, headers);
  const text = await response.text();
  if (response.status >= 500) throw new Error(`${response.status} ${text.slice(0, 200)}`);
  return JSON.parse(text);
}
