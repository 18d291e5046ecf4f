import type { Answers } from '../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import type { Environment } from '../../src/gateway.ts';
import { startTestGateway } from './gateway.ts';
import { readMetric } from './metrics.ts';
import { type Subscription, subscribe } from './subscribe.ts';
import type { Respond } from './upstream.ts';
import { wireMessage, wirePage } from './wire.ts';

const ADA = 'ada-sample-token';
/** Its 640 messages are the longest list of the sample data. */
export const LONGEST = 'conv_lisbon_trip';
export const MESSAGES = `subscription ($id: ID = "${LONGEST}") {
  messageChanged(conversationId: $id) {
    kind messageId messageNodeId conversationId message { id message }
  }
}`;
export const FAST = { LIVE_POLL_MS: '100' };
/** Regular polls come so late that a test never sees one. */
export const NO_POLLS = { LIVE_POLL_MS: '100000000' };

export const SEND =
  'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }';

/** A service whose list of messages has a new one, its newest, after each POST; it may show only its `newest` ones. */
export function growingList({
  newest,
  message = 'm',
}: {
  newest?: number;
  message?: string;
} = {}): Respond {
  let count = newest ?? 1;
  return ({ line }) => {
    if (line.startsWith('POST')) {
      count += 1;
      return { body: wireMessage(`m${count}`) };
    }
    const list = Array.from({ length: newest ?? count }, (_, index) => {
      const at = count - index;
      return wireMessage(`m${at}`, { message, created_at: at });
    });
    return { body: wirePage(list, newest !== undefined) };
  };
}

/** A gateway before the embedded service, for one of its users. */
export async function startLiveWorld(
  answers: Partial<Answers> = {},
  env: Environment = {},
) {
  const calls: string[] = [];
  const service = await startEmbeddedService({
    answers,
    onCall: ({ method, url }) => calls.push(`${method} ${url}`),
  });
  const gateway = await startTestGateway(service.url, { ...FAST, ...env });
  /** Sends, changes or deletes without the gateway. */
  const elsewhere = async (method: string, path: string, form = ''): Promise<string> => {
    const response = await fetch(`${service.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADA}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      ...(method === 'GET' ? {} : { body: form }),
    });
    return ((await response.json()) as { id: string }).id;
  };
  return {
    calls,
    service,
    gateway,
    elsewhere,
    ask: (query: string, variables = {}) => gateway.ask(query, { token: ADA, variables }),
    subscribe: (query: string, variables = {}) =>
      subscribe(gateway.url, query, { token: ADA, variables }),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** How many subscriptions a gateway has open. */
export const openSubscriptions = async (gateway: { readonly url: string }) =>
  (await readMetric(gateway, 'gateway_live_subscriptions'))[''];

/** The next result, as an answer. */
export async function nextAnswer(live: Subscription) {
  const result = await live.next();
  if (result === null) throw new Error('no result');
  return { ...result, status: live.status, headers: live.headers };
}
