/** What a target is asked: one operation, as GraphQL and as the hand-written endpoint of the same answer. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  /** REST calls that the operation needs, and that a gateway may make. Null if that depends on its settings. */
  readonly calls: number | null;
  readonly operation: { readonly query: string; readonly variables?: object };
  /** The request to the floor. */
  readonly endpoint: {
    readonly method: string;
    readonly path: string;
    readonly body?: object;
  };
  /** The rate at which latency is measured: well below what the slowest target can do. Unit: operations per second. */
  readonly rate?: number;
  /** The rate at which the CPU of all targets is compared: half of what the slowest can do. Unit: operations per second. */
  readonly evenRate?: number;
}

export const WORKLOADS: readonly Workload[] = [
  {
    name: 'W0',
    title: '__typename',
    evenRate: 5000,
    calls: 0,
    operation: { query: '{ __typename }' },
    endpoint: { method: 'GET', path: '/typename' },
  },
  {
    name: 'W1',
    title: 'ten conversations, ten messages of each',
    evenRate: 160,
    calls: 11,
    operation: {
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
    rate: 50,
  },
  {
    name: 'W2',
    title: 'a message and its conversation',
    evenRate: 1000,
    calls: 2,
    operation: {
      query: `query Message($id: ID!) {
  message(id: $id) { id message createdAt conversation { id isMuted createdAt } }
}`,
      variables: { id: 'm1' },
    },
    endpoint: { method: 'GET', path: '/messages/m1' },
  },
  {
    name: 'W3',
    title: 'fifty messages, their conversations and pinned messages',
    evenRate: 130,
    calls: 16,
    operation: {
      query: `query Inbox {
  messages(first: 50) {
    nodes { id message conversation { id isMuted pinnedMessage { id message } } }
  }
}`,
    },
    endpoint: { method: 'GET', path: '/inbox' },
  },
  {
    name: 'W4',
    title: 'one conversation',
    evenRate: 1700,
    calls: 1,
    operation: {
      query: `query Conversation($id: ID!) {
  conversation(id: $id) { id isPinned isMuted createdAt }
}`,
      variables: { id: 'c1' },
    },
    endpoint: { method: 'GET', path: '/conversations/c1' },
    rate: 100,
  },
  {
    name: 'W5',
    title: 'send a message',
    evenRate: 1500,
    calls: 1,
    operation: {
      query: `mutation Send($input: SendMessageInput!) {
  sendMessage(input: $input) { message { id message createdAt } }
}`,
      variables: { input: { conversationId: 'c1', message: 'hello there' } },
    },
    endpoint: {
      method: 'POST',
      path: '/messages',
      body: { conversationId: 'c1', message: 'hello there' },
    },
  },
];

/** Throws if there is none of this name. */
export function findWorkload(name: string): Workload {
  const found = WORKLOADS.find((workload) => workload.name === name);
  if (found === undefined) throw new Error(`there is no workload "${name}"`);
  return found;
}
