import { getNamedType, isObjectType } from 'graphql';
import { conversationType, mutationType } from '../oracle/schema.ts';
import { type FieldSelection, NO_ARGUMENTS, type Selection } from './selection.ts';

/**
 * Adds the same selections of a conversation to every mutation that returns a message or a conversation. A gateway that
 * answers one of them from before a later write is caught.
 */
export const withReadBack = (
  selections: readonly Selection[],
  ofConversation: readonly Selection[],
): Selection[] =>
  selections.map((selection) => {
    if (selection.kind !== 'field' || selection.children === null) return selection;
    const path = pathToConversation(selection.field);
    if (path === null) return selection;
    const back = path.reduceRight<readonly Selection[]>(
      (children, field) => [toField(field, children)],
      ofConversation,
    );
    return { ...selection, children: [...selection.children, ...back] };
  });

/** The fields from a payload to a conversation; null if none leads there. */
function pathToConversation(field: string): string[] | null {
  const payload = getNamedType(mutationType.getFields()[field]?.type);
  if (!isObjectType(payload)) return null;
  for (const { name, type } of Object.values(payload.getFields())) {
    if (getNamedType(type).name === 'Conversation') return [name];
    if (getNamedType(type).name === 'Message') return [name, 'conversation'];
  }
  return null;
}

const { messages } = conversationType.getFields();

/** Everything that mutations can change in a conversation, with one end of its messages. */
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
    args: { definitions: messages?.args ?? [], given: { [end]: 2 }, styles: ['literal'] },
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
  args: NO_ARGUMENTS,
  conditions: [],
  children,
});
