import { createRandom } from '../../../src/embedded/sample/random.ts';
import { nodeIdOf } from '../oracle/node-id.ts';
import { foreign, own, tokenOf } from './stamping-service.ts';

const CONTACT = 'contact { id username phoneNumber avatarUrl lastActiveAt createdAt }';
const MESSAGE = `id nodeId message ${CONTACT} reactions { name usernames } attachments readAt createdAt updatedAt`;
const CONVERSATION = 'id nodeId contactId groupId lastActiveAt createdAt archivedAt';

/** Reads by id, lists, links, nodes and writes, all of the ids that everybody has. */
const OPERATIONS = [
  `{ message(id: "m1") { ${MESSAGE} conversation { ${CONVERSATION} } } }`,
  `{ conversation(id: "c1") { ${CONVERSATION} pinnedMessage { ${MESSAGE} } messages { edges { cursor node { ${MESSAGE} } } } } }`,
  `{ messages(conversationId: "c1", first: 2) { nodes { ${MESSAGE} } pageInfo { startCursor endCursor } } }`,
  `{ conversations(muted: true) { edges { cursor node { ${CONVERSATION} messages(last: 1) { nodes { message } } } } } }`,
  `{ nodes(nodeIds: ["${nodeIdOf('Message', 'm1')}", "${nodeIdOf('Conversation', 'c1')}"]) { ... on Message { ${MESSAGE} } ... on Conversation { ${CONVERSATION} } } }`,
  `mutation { updateMessage(input: { id: "m1", message: "x" }) { message { ${MESSAGE} conversation { ${CONVERSATION} } } } }`,
  `mutation { sendMessage(input: { conversationId: "c1", message: "x" }) { message { ${MESSAGE} } }
    updateConversation(input: { id: "c1", isMuted: true }) { conversation { ${CONVERSATION} messages { nodes { message } } } } }`,
];

/** Calls that one caller's visit makes if none of them is shared: each operation twice. */
export const CALLS_UNSHARED = 2 * (2 + 3 + 1 + 4 + 2 + 2 + 3);

/** One answer, and whose it is by all that is in it. */
export interface CallerAnswer {
  /** What it holds of other callers, and every token. */
  readonly leaks: readonly string[];
  /** How often it is stamped as the caller's own. */
  readonly stamps: number;
  /** Whether the request id that came back is the one that was sent. */
  readonly hasRequestId: boolean;
  readonly failed: boolean;
}

interface Visits {
  readonly url: string;
  readonly callers: number;
  readonly rounds: number;
  readonly seed: number;
}

/** All callers at once ask everything twice at once, each in an order of its own, so that equal calls of all meet. */
export async function visitAll(visits: Visits): Promise<CallerAnswer[]> {
  const random = createRandom(visits.seed);
  const visit = async (caller: number): Promise<CallerAnswer[]> => {
    const answers: CallerAnswer[] = [];
    for (const query of random.shuffle(OPERATIONS)) {
      const twins = [0, 1].map((twin) =>
        ask(visits.url, { caller, query, requestId: `request-${caller}-${twin}` }),
      );
      answers.push(...(await Promise.all(twins)));
    }
    return answers;
  };

  const answers: CallerAnswer[] = [];
  for (let round = 0; round < visits.rounds; round += 1) {
    const callers = Array.from({ length: visits.callers }, (_, caller) => caller);
    answers.push(...(await Promise.all(callers.map(visit))).flat());
  }
  return answers;
}

async function ask(
  url: string,
  { caller, query, requestId }: { caller: number; query: string; requestId: string },
): Promise<CallerAnswer> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${tokenOf(caller)}`,
      'x-request-id': requestId,
    },
    body: JSON.stringify({ query }),
  });
  const text = await response.text();
  return {
    leaks: foreign(text, caller),
    stamps: own(text, caller),
    hasRequestId: response.headers.get('x-request-id') === requestId,
    failed: 'errors' in JSON.parse(text),
  };
}
