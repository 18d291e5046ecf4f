/** One operation, as GraphQL and as the hand-written endpoint of the same answer. */
export interface Operation {
  /** REST calls that it needs; a target that makes more or fewer stops the run. */
  readonly calls: number;
  readonly graphql: { readonly query: string; readonly variables?: object };
  /** The request to the floor. */
  readonly endpoint: {
    readonly method: string;
    readonly path: string;
    readonly body?: object;
  };
}

/** What a target is asked: its operations in turns. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly operations: readonly Operation[];
  /** Besides without pauses, all targets are asked at these shares of the slowest one's rate. */
  readonly shares: readonly number[];
}

/** The share at which the headline compares. */
export const MODERATE = 0.5;
/** How many objects W2, W4 and W5 are about, so that no two users always ask for the same. */
const OBJECTS = 10;

const each = (make: (n: number) => Operation): Operation[] =>
  Array.from({ length: OBJECTS }, (_, index) => make(index + 1));

const workload = (
  name: string,
  title: string,
  operations: readonly Operation[],
  shares: readonly number[] = [MODERATE],
): Workload => ({ name, title, operations, shares });

const SINGLE: readonly Workload[] = [
  workload('W1', 'ten conversations, ten messages of each with their contact', [
    {
      calls: 11,
      graphql: {
        query: `query Feed {
  conversations(first: 10) {
    nodes {
      id
      isPinned
      lastActiveAt
      messages(first: 10) {
        nodes { id message createdAt contact { id username avatarUrl } }
      }
    }
  }
}`,
      },
      endpoint: { method: 'GET', path: '/feed' },
    },
  ]),
  workload(
    'W2',
    'a message and its conversation',
    each((n) => ({
      calls: 2,
      graphql: {
        query: `query Message($id: ID!) {
  message(id: $id) { id message createdAt conversation { id isMuted createdAt } }
}`,
        variables: { id: `m${n}` },
      },
      endpoint: { method: 'GET', path: `/messages/m${n}` },
    })),
  ),
  workload('W3', 'fifty messages of ten conversations with five pinned messages', [
    {
      calls: 16,
      graphql: {
        query: `query Inbox {
  messages(first: 50) {
    nodes { id message conversation { id isMuted pinnedMessage { id message } } }
  }
}`,
      },
      endpoint: { method: 'GET', path: '/inbox' },
    },
  ]),
  workload(
    'W4',
    'one conversation',
    each((n) => ({
      calls: 1,
      graphql: {
        query: `query Conversation($id: ID!) {
  conversation(id: $id) { id isPinned isMuted createdAt }
}`,
        variables: { id: `c${n}` },
      },
      endpoint: { method: 'GET', path: `/conversations/c${n}` },
    })),
  ),
  workload(
    'W5',
    'send a message',
    each((n) => {
      const input = { conversationId: `c${n}`, message: `Bis später, um ${n} Uhr 👋` };
      return {
        calls: 1,
        graphql: {
          query: `mutation Send($input: SendMessageInput!) {
  sendMessage(input: $input) { message { id message createdAt } }
}`,
          variables: { input },
        },
        endpoint: { method: 'POST', path: '/messages', body: input },
      };
    }),
  ),
];

export const WORKLOADS: readonly Workload[] = [
  workload('W0', '`{ __typename }`', [
    {
      calls: 0,
      graphql: { query: '{ __typename }' },
      endpoint: { method: 'GET', path: '/typename' },
    },
  ]),
  ...SINGLE,
  workload(
    'mix',
    'W1 to W5 in turns',
    Array.from({ length: OBJECTS }, (_, turn) =>
      SINGLE.map(({ operations }) => operations[turn % operations.length] as Operation),
    ).flat(),
    [0.1, MODERATE, 1],
  ),
];

/** The workloads whose geometric mean is the headline: each reaches the service, with one kind of operation. */
export const isInMean = (one: Workload): boolean => SINGLE.includes(one);

/** Throws if there is none of this name. */
export function findWorkload(name: string): Workload {
  const found = WORKLOADS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no workload "${name}"`);
  return found;
}
