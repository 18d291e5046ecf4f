import { setTimeout as sleep } from 'node:timers/promises';
import { CONVERSATION } from './chat.ts';
import { askOnce } from './load.ts';

const SEND = `mutation ($text: String!) {
  sendMessage(input: { conversationId: "${CONVERSATION}", message: $text }) { message { id } } }`;
const UPDATE = `mutation ($id: ID!, $text: String!) {
  updateMessage(input: { id: $id, message: $text }) { message { id } } }`;
const DELETE = `mutation ($id: ID!) { deleteMessage(input: { id: $id }) { deletedMessageId } }`;
/** Unit: milliseconds. */
const BETWEEN_WRITES_MS = 250;
/** With those of the sample data they fit into one page. */
const MAX_MESSAGES = 40;

/** Writes to a conversation, one message after the other, until it is stopped. */
export function startWriter(url: string) {
  const ids: string[] = [];
  const failures: string[] = [];
  /** When each write began. Unit: milliseconds. */
  const began: number[] = [];
  let isOver = false;

  /** Of three writes one changes a message, and one deletes the oldest as soon as there are many. */
  async function write(): Promise<void> {
    const writes = began.push(performance.now());
    const text = `message ${writes}`;
    const [oldest] = ids;
    if (ids.length >= MAX_MESSAGES || (writes % 6 === 5 && oldest !== undefined)) {
      ids.shift();
      await ask({ query: DELETE, variables: { id: oldest } });
    } else if (writes % 3 === 1 && oldest !== undefined) {
      const id = ids[Math.floor(Math.random() * ids.length)];
      await ask({ query: UPDATE, variables: { id, text } });
    } else {
      const { sendMessage } = await ask({ query: SEND, variables: { text } });
      ids.push(sendMessage.message.id);
    }
  }

  async function ask(operation: object) {
    const { data, errors } = await askOnce(url, operation);
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data;
  }

  async function run(): Promise<void> {
    while (!isOver) {
      await write().catch((error) => failures.push(String(error)));
      await sleep(BETWEEN_WRITES_MS);
    }
  }
  const running = run();
  return {
    began,
    get writes() {
      return began.length;
    },
    failures,
    async [Symbol.asyncDispose]() {
      isOver = true;
      await running;
    },
  };
}
