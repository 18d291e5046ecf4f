import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import type { FieldSelection, Selection } from './selection.ts';

/**
 * Asks the same of its conversation behind every mutation of an operation that returns a message or a conversation: what
 * the one before has read must not be told again where something has changed since.
 */
export const withReadBack = (
  mutation: GraphQLObjectType,
  selections: readonly Selection[],
  ofConversation: readonly Selection[],
): Selection[] =>
  selections.map((selection) => {
    if (selection.kind !== 'field' || selection.children === null) return selection;
    const way = wayToConversation(mutation, selection.field);
    if (way === null) return selection;
    const back = way.reduceRight<readonly Selection[]>(
      (children, field) => [toField(field, children)],
      ofConversation,
    );
    return { ...selection, children: [...selection.children, ...back] };
  });

/** The fields from a payload to a conversation; null: there is none. */
function wayToConversation(mutation: GraphQLObjectType, field: string): string[] | null {
  const payload = getNamedType(mutation.getFields()[field]?.type);
  if (!isObjectType(payload)) return null;
  for (const { name, type } of Object.values(payload.getFields())) {
    if (getNamedType(type).name === 'Conversation') return [name];
    if (getNamedType(type).name === 'Message') return [name, 'conversation'];
  }
  return null;
}

/** What mutations can change of a conversation, an end of its messages included. */
export const changeable = (end: 'first' | 'last'): readonly Selection[] => [
  ...CHANGEABLE.map((field) => toField(field, null)),
  {
    ...toField('messages', [
      toField('nodes', [
        toField('message', null),
        toField('attachments', null),
        toField('updatedAt', null),
      ]),
    ]),
    args: [{ name: end, type: 'Int', value: 2, how: 'literal', parts: null }],
  },
];

const CHANGEABLE = [
  'lastActiveAt',
  'isPinned',
  'isMuted',
  'archivedAt',
  'pinnedMessageId',
];

const toField = (
  field: string,
  children: readonly Selection[] | null,
): FieldSelection => ({
  kind: 'field',
  field,
  alias: 'back',
  args: [],
  conditions: [],
  children,
});
