/** What a variable is for. An operation that has no use for a name does not declare it. */
export type Kind = 'flag' | 'id' | 'text' | 'count' | 'json' | 'none';

/** The type of each kind, and its default value. */
export const TYPES: Readonly<Record<Exclude<Kind, 'none'>, readonly [string, string]>> = {
  flag: ['Boolean', 'true'],
  id: ['ID', '"a"'],
  text: ['String', '"a,true,b"'],
  count: ['Int', '2'],
  json: ['JSON', '{ a: [true, "b,false"] }'],
};

/** A root field with its arguments, and what may be selected of it. */
export type Printed = readonly [field: string, selected: readonly string[]];

/** The fields that can use a variable of a kind, which has this name. */
type Fields = Readonly<Record<Kind, (variable: string) => readonly Printed[]>>;

const MESSAGE = [
  'id',
  'id message createdAtIso',
  '__typename contact { username } conversation { id isMuted }',
  'nodeId reactions { name count isMine } isMine attachments updatedAt',
];
const CONVERSATION = [
  'id',
  'id isMuted pinnedMessage { message }',
  '__typename groupId archivedAtIso',
  'id messages(first: 2) { nodes { id message } }',
  'hasNewActivity contact { id } unreadCount latestMessage { id message isMine } messages(first: 3, order: NEWEST_FIRST) { nodes { id } }',
];
/** No further calls for each item of a long page. */
const FLAT = ['id', 'id message createdAtIso'];
const pages = (bodies: readonly string[]) =>
  bodies.map((body) => `edges { cursor node { ${body} } } pageInfo { hasNextPage }`);
const within = (field: string, bodies: readonly string[]) =>
  bodies.map((body) => `${field} { ${body} }`);

/** Without a variable. The long page needs several calls where the service has a maximum. */
const plainReads = (): Printed[] => [
  ['message(id: "m1")', MESSAGE],
  ['viewer', ['id', 'username']],
  ['conversations(first: 1)', pages(CONVERSATION)],
  ['conversation(id: "a")', CONVERSATION],
  ['messages(conversationId: "c1", first: 60)', pages(FLAT)],
  ['messages(conversationId: "c1", last: 3)', pages(FLAT)],
  ['messages(conversationId: "c1", first: 3, order: NEWEST_FIRST)', pages(FLAT)],
];

export const READS: Fields = {
  id: (id) => [
    [`message(id: ${id})`, MESSAGE],
    [`conversation(id: ${id})`, CONVERSATION],
    [`messages(conversationId: ${id}, first: 3)`, pages(MESSAGE)],
  ],
  text: (text) => [
    [`messages(first: 2, after: ${text})`, pages(FLAT)],
    [`messages(last: 2, before: ${text}, order: NEWEST_FIRST)`, pages(FLAT)],
  ],
  count: (count) => [
    [`messages(first: ${count})`, pages(FLAT)],
    [`conversations(first: ${count})`, pages(['id'])],
  ],
  json: plainReads,
  flag: plainReads,
  none: plainReads,
};

export const WRITES: Fields = {
  id: (id) => [
    [`deleteConversation(input: { id: ${id} })`, ['deletedConversationId']],
    [`deleteMessage(input: { id: ${id} })`, ['deletedMessageId']],
    [
      `updateConversation(input: { id: ${id}, isMuted: true })`,
      within('conversation', CONVERSATION),
    ],
  ],
  text: (text) => [
    [`updateMessage(input: { id: "m1", message: ${text} })`, within('message', MESSAGE)],
    [
      `sendMessage(input: { conversationId: "c1", message: ${text} })`,
      within('message', MESSAGE),
    ],
    [
      `sendMessage(input: { conversationId: "c1", message: "m", clientMutationId: ${text} })`,
      ['clientMutationId', ...within('message', MESSAGE)],
    ],
  ],
  json: (json) => [
    [
      `sendMessage(input: { conversationId: "c1", message: "m", attachments: [${json}] })`,
      within('message', MESSAGE),
    ],
  ],
  count: (count) => [
    [
      'updateConversation(input: { id: "c2", isPinned: true })',
      [`conversation { messages(first: ${count}) { nodes { id } } }`],
    ],
  ],
  flag: () => [
    ['deleteConversation(input: { id: "c3" })', ['deletedConversationId']],
    ['createConversation(input: { contactId: "u1,true" })', ['conversation { id }']],
  ],
  none: () => [
    ['createConversation(input: { contactId: "u2" })', ['conversation { id }']],
  ],
};
