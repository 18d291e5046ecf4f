import { type Change, LIBRARIES } from './live-clients.ts';
import { askOnce } from './load.ts';

/** The list as it is now: texts by the ids of the messages. */
type Messages = Map<string, string>;

export const CONVERSATION = 'conv_ada_grace';
const LIST = `{ messages(conversationId: "${CONVERSATION}", first: 100) {
  nodes { id message } pageInfo { hasNextPage } } }`;

export async function readMessages(url: string, token: string): Promise<Messages> {
  const { data } = await askOnce(url, { query: LIST }, token);
  const { nodes, pageInfo } = data.messages;
  if (pageInfo.hasNextPage) throw new Error('the list has more than one page');
  return new Map(
    nodes.map(({ id, message }: { id: string; message: string }) => [id, message]),
  );
}

/**
 * A client that keeps the list of a conversation, as docs/live.md says: it reads the list when its subscription has begun, and again when it
 * comes back, if no event had come yet from which it could go on. `url`: of the gateway.
 */
export function startReader(library: string, url: string, token: string) {
  const subscribe = LIBRARIES[library];
  if (subscribe === undefined) throw new Error(`no library "${library}"`);
  let messages: Messages | null = null;
  /** Changes since the last reading of the list began: it may show them, or not. */
  let since: Change[] = [];
  let readings = 0;
  let isConnected = false;
  let isOver = false;
  /** When connections were lost, and when there was one again. Unit: milliseconds. */
  const lost: number[] = [];
  const back: number[] = [];
  /** Each change that it heard of. */
  const heard: string[] = [];
  const failures: string[] = [];

  async function read(): Promise<void> {
    readings += 1;
    const reading = readings;
    since = [];
    const list = await readMessages(url, token);
    if (reading !== readings) return;
    messages = list;
    for (const change of since) apply(messages, change);
  }

  const stop = subscribe(
    { url: `${url}/graphql`, token, conversationId: CONVERSATION },
    {
      connected() {
        isConnected = true;
        back.push(performance.now());
      },
      begun() {
        if (readings === 0 || heard.length === 0)
          read().catch((error) => failures.push(`the list: ${error}`));
      },
      lost() {
        if (isConnected) lost.push(performance.now());
        isConnected = false;
      },
      changed(change) {
        heard.push(`${change.kind} ${change.messageId} ${change.message?.message}`);
        since.push(change);
        if (messages !== null) apply(messages, change);
      },
      failed: (reason) => {
        if (!isOver) failures.push(String(reason));
      },
    },
  );
  return {
    library,
    messages: (): Messages => messages ?? new Map(),
    lost,
    back,
    heard,
    readings: () => readings,
    failures,
    isConnected: () => isConnected,
    [Symbol.dispose]() {
      isOver = true;
      stop();
    },
  };
}

export type Reader = ReturnType<typeof startReader>;

function apply(messages: Messages, { kind, messageId, message }: Change): void {
  if (kind === 'DELETED') messages.delete(messageId);
  else if (kind === 'CREATED' || messages.has(messageId))
    messages.set(messageId, message?.message ?? '');
}

/** How many messages are in one list only, or have another text in the other. */
export function differences(one: Messages, other: Messages): number {
  const ids = new Set([...one.keys(), ...other.keys()]);
  return [...ids].filter((id) => one.get(id) !== other.get(id)).length;
}
