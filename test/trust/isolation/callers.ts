import { createRandom } from '../../../src/embedded/sample/random.ts';
import { post } from '../../support/http.ts';
import { nodeIdOf } from '../../support/wire.ts';
import { foreign, own, TENANT, tokenOf } from './stamping-service.ts';

const CONTACT = 'contact { id username phoneNumber avatarUrl lastActiveAt createdAt }';
const MESSAGE = `id nodeId message ${CONTACT} reactions { name usernames } attachments readAt createdAt updatedAt`;
const CONVERSATION = 'id nodeId contactId groupId lastActiveAt createdAt archivedAt';

/** Reads by id, lists, links, nodes and writes. All use ids that every caller has. */
const OPERATIONS = [
  `{ message(id: "m1") { ${MESSAGE} conversation { ${CONVERSATION} } } }`,
  `{ conversation(id: "c1") { ${CONVERSATION} pinnedMessage { ${MESSAGE} } messages { edges { cursor node { ${MESSAGE} } } } } }`,
  `{ messages(conversationId: "c1", first: 2) { nodes { ${MESSAGE} } pageInfo { startCursor endCursor } } }`,
  `{ conversations(muted: true) { edges { cursor node { ${CONVERSATION} messages(last: 1) { nodes { message } } } } } }`,
  `{ nodes(nodeIds: ["${nodeIdOf('Message', 'm1')}", "${nodeIdOf('Conversation', 'c1')}"]) { ... on Message { ${MESSAGE} } ... on Conversation { ${CONVERSATION} } } }`,
  `mutation { updateMessage(input: { id: "m1", message: "x" }) { message { ${MESSAGE} conversation { ${CONVERSATION} } } } }`,
  `mutation { sendMessage(input: { conversationId: "c1", message: "x", clientMutationId: "k" }) { message { ${MESSAGE} } }
    updateConversation(input: { id: "c1", isMuted: true }) { conversation { ${CONVERSATION} messages { nodes { message } } } } }`,
];

/** The calls of one caller in one round if none is shared: each operation is sent twice, but one message once. */
export const CALLS_UNSHARED = 2 * (2 + 3 + 1 + 4 + 2 + 2 + 3) - 1;

export interface CallerAnswer {
  /** Data of other callers, and tokens. */
  readonly leaks: readonly string[];
  /** How often the caller's own stamp occurs. */
  readonly stamps: number;
  /** Whether the answer has the request id of its request. */
  readonly hasRequestId: boolean;
  readonly failed: boolean;
}

/** All callers at once send every operation, each twice at once and in a random order, so that equal calls overlap. */
export async function askAll({
  url,
  callers,
  rounds,
  seed,
  token,
}: Readonly<Record<'callers' | 'rounds' | 'seed', number>> & {
  readonly url: string;
  /** The token of all; undefined: each has its own. */
  readonly token?: string | undefined;
}): Promise<CallerAnswer[]> {
  const random = createRandom(seed);
  const askEverything = async (caller: number): Promise<CallerAnswer[]> => {
    const answers: CallerAnswer[] = [];
    for (const query of random.shuffle(OPERATIONS)) {
      const pair = [0, 1].map((index) =>
        ask(url, { caller, query, token, requestId: `request-${caller}-${index}` }),
      );
      answers.push(...(await Promise.all(pair)));
    }
    return answers;
  };

  const answers: CallerAnswer[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const all = Array.from({ length: callers }, (_, caller) => askEverything(caller));
    answers.push(...(await Promise.all(all)).flat());
  }
  return answers;
}

async function ask(
  url: string,
  {
    caller,
    query,
    requestId,
    token = tokenOf(caller),
  }: { caller: number; query: string; requestId: string; token?: string | undefined },
): Promise<CallerAnswer> {
  const response = await post(
    url,
    { query },
    {
      authorization: `Bearer ${token}`,
      [TENANT]: tokenOf(caller),
      'x-request-id': requestId,
    },
  );
  const text = await response.text();
  return {
    leaks: foreign(text, caller),
    stamps: own(text, caller),
    hasRequestId: response.headers.get('x-request-id') === requestId,
    failed: 'errors' in JSON.parse(text),
  };
}
