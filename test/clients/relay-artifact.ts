import type { ConcreteRequest } from 'relay-runtime';

export const CHAT_TEXT = `subscription Chat($id: ID!) {
  messageChanged(conversationId: $id) { kind message { id nodeId message } }
}`;

const scalar = (name: string) => ({
  alias: null,
  args: null,
  kind: 'ScalarField' as const,
  name,
  storageKey: null,
});

const selections: ConcreteRequest['operation']['selections'] &
  ConcreteRequest['fragment']['selections'] = [
  {
    alias: null,
    args: [{ kind: 'Variable', name: 'conversationId', variableName: 'id' }],
    concreteType: 'MessageChange',
    kind: 'LinkedField',
    name: 'messageChanged',
    plural: false,
    storageKey: null,
    selections: [
      scalar('kind'),
      {
        alias: null,
        args: null,
        concreteType: 'Message',
        kind: 'LinkedField',
        name: 'message',
        plural: false,
        storageKey: null,
        selections: [scalar('id'), scalar('nodeId'), scalar('message')],
      },
    ],
  },
];
const argumentDefinitions = [
  { defaultValue: null, kind: 'LocalArgument' as const, name: 'id' },
];

/** What Relay's compiler makes of CHAT_TEXT. */
export const chatArtifact: ConcreteRequest = {
  kind: 'Request',
  fragment: {
    argumentDefinitions,
    kind: 'Fragment',
    metadata: null,
    name: 'Chat',
    selections,
    type: 'Subscription',
    abstractKey: null,
  },
  operation: { argumentDefinitions, kind: 'Operation', name: 'Chat', selections },
  params: {
    cacheID: 'chat',
    id: null,
    metadata: {},
    name: 'Chat',
    operationKind: 'subscription',
    text: CHAT_TEXT,
  },
};
