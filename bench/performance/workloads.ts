/** One operation, as GraphQL and as the hand-written endpoint of the same answer. */
export interface Operation {
  /** REST calls that it needs; a target that makes more or fewer stops the run. */
  readonly calls: number;
  readonly graphql: { readonly query: string; readonly variables?: object };
  /** The request to the floor; with a body, it is a POST. */
  readonly endpoint: { readonly path: string; readonly body?: object };
}

/** What a target is asked: its operations in turns. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly operations: readonly Operation[];
  /** Besides without pauses, all targets are asked at these shares of the slowest one's rate. Default: the moderate one. */
  readonly shares?: readonly number[];
}

/** The share at which the headline compares. */
export const MODERATE = 0.5;
/** How many objects W2, W4 and W5 are about, so that no two users always ask for the same. */
const OBJECTS = 10;
const each = (make: (n: number) => Operation): Operation[] =>
  Array.from({ length: OBJECTS }, (_, index) => make(index + 1));

const operation = (
  calls: number,
  query: string,
  path: string,
  { variables, body }: { variables?: object; body?: object } = {},
): Operation => ({
  calls,
  graphql: { query, ...(variables && { variables }) },
  endpoint: { path, ...(body && { body }) },
});

const FEED = `query Feed {
  conversations(first: 10) {
    nodes {
      id isPinned lastActiveAt
      messages(first: 10) { nodes { id message createdAt contact { id username avatarUrl } } }
    }
  }
}`;
const MESSAGE = `query Message($id: ID!) {
  message(id: $id) { id message createdAt conversation { id isMuted createdAt } }
}`;
const INBOX = `query Inbox {
  messages(first: 50) {
    nodes { id message conversation { id isMuted pinnedMessage { id message } } }
  }
}`;
const CONVERSATION = `query Conversation($id: ID!) {
  conversation(id: $id) { id isPinned isMuted createdAt }
}`;
const SEND = `mutation Send($input: SendMessageInput!) {
  sendMessage(input: $input) { message { id message createdAt } }
}`;

/** The workloads whose geometric mean is the headline: each reaches the service, with one kind of operation. */
const SINGLE: readonly Workload[] = [
  {
    name: 'W1',
    title: 'ten conversations, ten messages of each with their contact',
    operations: [operation(11, FEED, '/feed')],
  },
  {
    name: 'W2',
    title: 'a message and its conversation',
    operations: each((n) =>
      operation(2, MESSAGE, `/messages/m${n}`, { variables: { id: `m${n}` } }),
    ),
  },
  {
    name: 'W3',
    title: 'fifty messages of ten conversations with five pinned messages',
    operations: [operation(16, INBOX, '/inbox')],
  },
  {
    name: 'W4',
    title: 'one conversation',
    operations: each((n) =>
      operation(1, CONVERSATION, `/conversations/c${n}`, { variables: { id: `c${n}` } }),
    ),
  },
  {
    name: 'W5',
    title: 'send a message',
    operations: each((n) => {
      const input = { conversationId: `c${n}`, message: `Bis später, um ${n} Uhr 👋` };
      return operation(1, SEND, '/messages', { variables: { input }, body: input });
    }),
  },
];
export const isInMean = (one: Workload): boolean => SINGLE.includes(one);

export const WORKLOADS: readonly Workload[] = [
  {
    name: 'W0',
    title: '`{ __typename }`',
    operations: [operation(0, '{ __typename }', '/typename')],
  },
  ...SINGLE,
  {
    name: 'mix',
    title: 'W1 to W5 in turns',
    operations: Array.from({ length: OBJECTS }, (_, turn) =>
      SINGLE.map(({ operations }) => operations[turn % operations.length] as Operation),
    ).flat(),
    shares: [0.1, MODERATE, 1],
  },
];

/** Throws if there is none of this name. */
export function findWorkload(name: string): Workload {
  const found = WORKLOADS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no workload "${name}"`);
  return found;
}
