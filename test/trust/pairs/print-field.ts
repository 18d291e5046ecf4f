import {
  type Field,
  type Fragment,
  type Guards,
  type Kind,
  NAMES,
  type Operation,
  type Place,
  type Variable,
} from './document.ts';

/** A root field as text, with an alias, so that no two fields of an operation are merged. */
export function printField(operation: Operation, field: Field, alias: string): string {
  const { guards, wrap, body } = field;
  const conditions = printGuards(operation, guards);
  const [head, selected] = toTarget(operation, field);
  const chosen = ` { ${selected[body % selected.length]} }`;
  const root = operation.isMutation ? 'Mutation' : 'Query';
  if (wrap === 'none') return `${alias}: ${head}${conditions}${chosen}`;
  const condition = wrap === 'typed' ? ` on ${root}` : '';
  return `...${condition}${conditions} { ${alias}: ${head}${chosen} }`;
}

export const fragmentName = (index: number): string => `Shared${index}`;

/** A fragment has no use for variables but its condition: the others may have any type. */
export function printFragment({ guard, field }: Fragment, index: number): string {
  const flag: Variable = { kind: 'flag', hasDefault: false };
  const none: Variable = { kind: 'none', hasDefault: false };
  const operation: Operation = {
    isMutation: false,
    variables: [none, none, none].with(guard.place, flag) as never,
    fields: [],
    spreadsFragments: false,
  };
  const guards = { skip: null, include: null, [guard.directive]: guard.place };
  const printed = printField(operation, { ...field, guards }, `s${index}`);
  return `fragment ${fragmentName(index)} on Query { ${printed} }`;
}

/** `@skip` and `@include`, each by a variable if it is a flag in this operation, otherwise by a literal. */
function printGuards({ variables }: Operation, { skip, include }: Guards): string {
  const print = (directive: string, place: Place | null, literal: boolean) => {
    if (place === null) return '';
    const isFlag = variables[place].kind === 'flag';
    return ` @${directive}(if: ${isFlag ? `$${NAMES[place]}` : literal})`;
  };
  return print('skip', skip, false) + print('include', include, true);
}

function toTarget({ isMutation, variables }: Operation, field: Field): Target {
  const { place, target } = field;
  const targets = (isMutation ? WRITES : READS)[variables[place].kind];
  const write = targets[target % targets.length] ?? plainRead;
  return write(`$${NAMES[place]}`);
}

/** A field with its arguments, and what may be selected of it. */
type Target = readonly [field: string, selected: readonly string[]];
type Write = (variable: string) => Target;

const MESSAGE = [
  'id',
  'id message createdAtIso',
  '__typename contact { username } conversation { id isMuted }',
  'nodeId reactions { name count } attachments updatedAt',
];
const CONVERSATION = [
  'id',
  'id isMuted pinnedMessage { message }',
  '__typename groupId archivedAtIso',
  'id messages(first: 2) { nodes { id message } }',
];
/** No further calls for each item of a long page. */
const FLAT = ['id', 'id message createdAtIso'];
const within = (field: string, bodies: readonly string[]): readonly string[] =>
  bodies.map((body) => `${field} { ${body} }`);
const pages = (bodies: readonly string[]): readonly string[] =>
  bodies.map((body) => `edges { cursor node { ${body} } } pageInfo { hasNextPage }`);

const plainRead: Write = () => ['conversations(first: 1)', pages(CONVERSATION)];

/** Without a variable. The long page needs several calls where the service has a maximum. */
const PLAIN_READS: readonly Write[] = [
  () => ['message(id: "m1")', MESSAGE],
  plainRead,
  () => ['conversation(id: "a")', CONVERSATION],
  () => ['messages(conversationId: "c1", first: 60)', pages(FLAT)],
  () => ['messages(conversationId: "c1", last: 3)', pages(FLAT)],
];

const READS: Readonly<Record<Kind, readonly Write[]>> = {
  id: [
    (id) => [`message(id: ${id})`, MESSAGE],
    (id) => [`conversation(id: ${id})`, CONVERSATION],
    (id) => [`messages(conversationId: ${id}, first: 3)`, pages(MESSAGE)],
  ],
  text: [(text) => [`messages(first: 2, after: ${text})`, pages(FLAT)]],
  count: [
    (count) => [`messages(first: ${count})`, pages(FLAT)],
    (count) => [`conversations(first: ${count})`, pages(['id'])],
  ],
  // No read takes JSON. A query that would have such a variable has an id instead.
  json: [],
  flag: PLAIN_READS,
  none: PLAIN_READS,
};

const WRITES: Readonly<Record<Kind, readonly Write[]>> = {
  id: [
    (id) => [`deleteConversation(input: { id: ${id} })`, ['deletedConversationId']],
    (id) => [`deleteMessage(input: { id: ${id} })`, ['deletedMessageId']],
    (id) => [
      `updateConversation(input: { id: ${id}, isMuted: true })`,
      within('conversation', CONVERSATION),
    ],
  ],
  text: [
    (text) => [
      `updateMessage(input: { id: "m1", message: ${text} })`,
      within('message', MESSAGE),
    ],
    (text) => [
      `sendMessage(input: { conversationId: "c1", message: ${text} })`,
      within('message', MESSAGE),
    ],
  ],
  json: [
    (json) => [
      `sendMessage(input: { conversationId: "c1", message: "m", attachments: [${json}] })`,
      within('message', MESSAGE),
    ],
  ],
  count: [
    (count) => [
      'updateConversation(input: { id: "c2", isPinned: true })',
      [`conversation { messages(first: ${count}) { nodes { id } } }`],
    ],
  ],
  flag: [
    () => ['deleteConversation(input: { id: "c3" })', ['deletedConversationId']],
    () => [
      'createConversation(input: { contactId: "u1,true" })',
      ['conversation { id }'],
    ],
  ],
  none: [
    () => ['createConversation(input: { contactId: "u2" })', ['conversation { id }']],
  ],
};
